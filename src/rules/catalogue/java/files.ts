import type { Package } from '../line.ts';

const JDK = 'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java';
const SPRING =
  'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework';

/** What opens, writes and removes files by their names. */
export const javaFiles: readonly Package[] = [
  {
    package: 'java.io',
    link: `${JDK}/io/package-summary.html`,
    sinks: [
      {
        exports:
          'FileInputStream FileOutputStream FileReader FileWriter RandomAccessFile PrintWriter ' +
          'PrintStream',
        kind: 'path',
      },
      {
        exports:
          'File.delete File.deleteOnExit File.mkdir File.mkdirs File.createNewFile File.listFiles ' +
          'File.list File.setExecutable',
        kind: 'path',
        args: [-1],
        link: `${JDK}/io/File.html`,
      },
      { exports: 'File.renameTo', kind: 'path', args: [-1, 0], link: `${JDK}/io/File.html` },
    ],
  },
  {
    package: 'java.nio.file',
    link: `${JDK}/nio/file/Files.html`,
    sinks: [
      {
        exports:
          'Files.newInputStream Files.newBufferedReader Files.readAllBytes Files.readAllLines ' +
          'Files.readString Files.lines Files.list Files.walk Files.newDirectoryStream ' +
          'Files.newByteChannel',
        kind: 'path',
      },
      {
        exports:
          'Files.newOutputStream Files.newBufferedWriter Files.write Files.writeString ' +
          'Files.createFile Files.createDirectory Files.createDirectories Files.setPosixFilePermissions',
        kind: 'path',
      },
      { exports: 'Files.delete Files.deleteIfExists', kind: 'path' },
      { exports: 'Files.copy', kind: 'path', args: [0, 1] },
      {
        exports: 'Files.move Files.createSymbolicLink Files.createLink',
        kind: 'path',
        args: [0, 1],
      },
    ],
  },
  {
    package: 'java.nio.channels',
    link: `${JDK}/nio/channels/FileChannel.html`,
    sinks: [{ exports: 'FileChannel.open AsynchronousFileChannel.open', kind: 'path' }],
  },
  {
    package: 'java.util',
    link: `${JDK}/util/Scanner.html`,
    sinks: [{ exports: 'Formatter', kind: 'path' }],
  },
  {
    package: 'java.util.zip',
    link: `${JDK}/util/zip/ZipFile.html`,
    sinks: [{ exports: 'ZipFile', kind: 'path' }],
  },
  {
    package: 'org.apache.commons.io',
    link: 'https://commons.apache.org/proper/commons-io/',
    sinks: [
      {
        exports:
          'FileUtils.readFileToString FileUtils.readFileToByteArray FileUtils.readLines ' +
          'FileUtils.openInputStream FileUtils.listFiles FileUtils.lineIterator',
        kind: 'path',
      },
      {
        exports:
          'FileUtils.writeStringToFile FileUtils.write FileUtils.writeByteArrayToFile ' +
          'FileUtils.openOutputStream FileUtils.touch FileUtils.forceMkdir FileUtils.writeLines',
        kind: 'path',
      },
      {
        exports:
          'FileUtils.deleteQuietly FileUtils.forceDelete FileUtils.deleteDirectory ' +
          'FileUtils.cleanDirectory',
        kind: 'path',
      },
      {
        exports:
          'FileUtils.copyFile FileUtils.moveFile FileUtils.copyDirectory FileUtils.copyToFile ' +
          'FileUtils.copyInputStreamToFile FileUtils.moveDirectory',
        kind: 'path',
        args: [0, 1],
      },
    ],
  },
  {
    package: 'com.google.common.io',
    link: 'https://guava.dev/releases/snapshot-jre/api/docs/com/google/common/io/Files.html',
    sinks: [
      {
        exports: 'Files.toByteArray Files.asByteSource Files.asCharSource Files.newReader',
        kind: 'path',
      },
      { exports: 'Files.write', kind: 'path', args: [1] },
      {
        exports:
          'Files.asByteSink Files.asCharSink Files.newWriter Files.touch Files.createParentDirs',
        kind: 'path',
      },
      { exports: 'Files.copy Files.move', kind: 'path', args: [0, 1] },
    ],
  },
  {
    package: 'org.springframework.core.io',
    link: `${SPRING}/core/io/package-summary.html`,
    receivers: 'resourceLoader',
    sinks: [
      { exports: 'FileSystemResource PathResource', kind: 'path' },
      { exports: 'ClassPathResource', kind: 'path' },
      { exports: 'ResourceLoader.getResource', kind: 'path' },
    ],
  },
  {
    package: 'org.springframework.util',
    link: `${SPRING}/util/FileSystemUtils.html`,
    sinks: [
      { exports: 'FileSystemUtils.deleteRecursively', kind: 'path' },
      { exports: 'FileCopyUtils.copyToByteArray', kind: 'path' },
    ],
  },
  {
    package: 'org.springframework.web.multipart',
    link: `${SPRING}/web/multipart/MultipartFile.html`,
    receivers: 'multipartFile file upload',
    sinks: [{ exports: 'MultipartFile.transferTo', kind: 'path' }],
  },
  {
    package: 'jakarta.servlet.http',
    link: 'https://jakarta.ee/specifications/servlet/6.0/',
    receivers: 'part filePart',
    sinks: [{ exports: 'Part.write', kind: 'path' }],
  },
  {
    package: 'jakarta.servlet',
    link: 'https://jakarta.ee/specifications/servlet/6.0/',
    receivers: 'servletContext',
    sinks: [
      { exports: 'ServletContext.getResourceAsStream ServletContext.getResource', kind: 'path' },
    ],
  },
  {
    package: 'io.vertx.core.file',
    link: 'https://vertx.io/docs/vertx-core/java/#_using_the_file_system_with_vert_x',
    receivers: 'fileSystem',
    sinks: [
      {
        exports:
          'FileSystem.readFile FileSystem.readFileBlocking FileSystem.writeFile FileSystem.delete ' +
          'FileSystem.open FileSystem.readDir',
        kind: 'path',
      },
    ],
  },
  {
    package: 'io.vertx.core.http',
    types: 'HttpServerResponse',
    link: 'https://vertx.io/docs/vertx-core/java/#_serving_files_from_disk',
    receivers: 'response resp',
    sinks: [{ exports: '*.sendFile', kind: 'path' }],
  },
  {
    package: 'net.lingala.zip4j',
    link: 'https://github.com/srikanth-lingala/zip4j',
    sinks: [{ exports: 'ZipFile', kind: 'path' }],
  },
  {
    package: 'org.apache.commons.compress.archivers.zip',
    link: 'https://commons.apache.org/proper/commons-compress/examples.html',
    sinks: [{ exports: 'ZipFile', kind: 'path' }],
  },
  {
    package: 'cn.hutool.core.io',
    link: 'https://hutool.cn/docs/',
    sinks: [
      {
        exports:
          'FileUtil.readUtf8String FileUtil.readBytes FileUtil.writeBytes FileUtil.del FileUtil.touch',
        kind: 'path',
      },
    ],
  },
];
