import type { Package } from '../line.ts';

const PATHLIB = 'https://docs.python.org/3/library/pathlib.html#methods-and-properties';

/** What reads, writes, removes or sends the file that a text names. */
export const pythonFiles: readonly Package[] = [
  {
    package: 'builtins',
    link: 'https://docs.python.org/3/library/functions.html#open',
    sinks: [{ exports: 'open file', kind: 'path', args: [0], options: 'file' }],
  },
  {
    package: 'io',
    link: 'https://docs.python.org/3/library/io.html#io.open',
    sinks: [{ exports: 'open open_code FileIO', kind: 'path', args: [0], options: 'file' }],
  },
  {
    package: 'codecs',
    link: 'https://docs.python.org/3/library/codecs.html#codecs.open',
    sinks: [{ exports: 'open', kind: 'path', args: [0], options: 'filename' }],
  },
  {
    package: 'os',
    link: 'https://docs.python.org/3/library/os.html#files-and-directories',
    sinks: [
      {
        exports:
          'open remove unlink rmdir removedirs mkdir makedirs listdir scandir walk chmod chown ' +
          'truncate readlink chdir mkfifo utime',
        kind: 'path',
        args: [0],
        options: 'path',
      },
      {
        exports: 'rename renames replace link symlink',
        kind: 'path',
        args: [0, 1],
        options: 'src dst',
      },
      {
        exports: 'stat lstat access path.exists path.isfile path.isdir path.getsize path.getmtime',
        kind: 'look',
      },
    ],
  },
  {
    package: 'shutil',
    link: 'https://docs.python.org/3/library/shutil.html',
    sinks: [
      {
        exports: 'copy copy2 copyfile copytree move copymode copystat',
        kind: 'path',
        args: [0, 1],
        options: 'src dst',
      },
      { exports: 'rmtree chown disk_usage', kind: 'path', args: [0], options: 'path' },
      { exports: 'make_archive', kind: 'path', args: [0, 2], options: 'base_name root_dir' },
      {
        exports: 'unpack_archive',
        kind: 'archive',
        args: [0],
        options: 'filename',
        unless: 'filter',
      },
    ],
  },
  {
    package: 'pathlib',
    link: PATHLIB,
    sinks: [
      {
        exports:
          '*.open *.read_text *.read_bytes *.write_text *.write_bytes *.unlink *.rmdir *.mkdir ' +
          '*.iterdir *.touch *.glob *.rglob',
        kind: 'path',
        args: [-1],
      },
      { exports: '*.rename *.replace *.symlink_to *.hardlink_to', kind: 'path', args: [-1, 0] },
      { exports: '*.exists *.is_file *.is_dir *.stat', kind: 'look', args: [-1] },
    ],
  },
  {
    package: 'glob',
    link: 'https://docs.python.org/3/library/glob.html',
    sinks: [{ exports: 'glob iglob', kind: 'look' }],
  },
  {
    package: 'tempfile',
    link: 'https://docs.python.org/3/library/tempfile.html',
    sinks: [
      {
        exports: 'NamedTemporaryFile TemporaryDirectory mkstemp mkdtemp',
        kind: 'look',
        args: [],
        options: 'dir prefix suffix',
      },
    ],
  },
  {
    package: 'zipfile',
    link: 'https://docs.python.org/3/library/zipfile.html#zipfile.ZipFile',
    sinks: [
      { exports: 'ZipFile PyZipFile', kind: 'path', args: [0], options: 'file' },
      { exports: '*.write', kind: 'path' },
    ],
  },
  {
    package: 'tarfile',
    link: 'https://docs.python.org/3/library/tarfile.html#tarfile-extraction-filter',
    sinks: [
      { exports: 'open TarFile', kind: 'path', args: [0], options: 'name' },
      { exports: '*.add', kind: 'path' },
      { exports: '*.extractall *.extract', kind: 'archive', args: [-1], unless: 'filter' },
    ],
  },
  {
    package: 'aiofiles',
    link: 'https://github.com/Tinche/aiofiles#features',
    sinks: [
      { exports: 'open', kind: 'path', args: [0], options: 'file' },
      { exports: 'os.remove os.unlink os.mkdir os.makedirs os.rmdir os.listdir', kind: 'path' },
    ],
  },
  {
    package: 'flask',
    link: 'https://flask.palletsprojects.com/en/stable/api/#flask.send_file',
    sinks: [
      { exports: 'send_file', kind: 'path', args: [0], options: 'path_or_file filename_or_fp' },
      { exports: 'send_from_directory', kind: 'path', args: [0], options: 'directory' },
      { exports: 'current_app.open_resource', kind: 'path' },
    ],
  },
  {
    package: 'quart',
    link: 'https://quart.palletsprojects.com/en/latest/reference/source/quart.helpers.html',
    sinks: [{ exports: 'send_file', kind: 'path' }],
  },
  {
    package: 'django.views.static',
    link: 'https://docs.djangoproject.com/en/stable/ref/views/#serving-files-in-development',
    sinks: [{ exports: 'serve', kind: 'path', args: [], options: 'document_root' }],
  },
  {
    package: 'fastapi.responses',
    link: 'https://fastapi.tiangolo.com/reference/responses/#fastapi.responses.FileResponse',
    sinks: [{ exports: 'FileResponse', kind: 'path', args: [0], options: 'path' }],
  },
  {
    package: 'starlette.responses',
    link: 'https://www.starlette.io/responses/#fileresponse',
    sinks: [{ exports: 'FileResponse', kind: 'path', args: [0], options: 'path' }],
  },
  {
    package: 'aiohttp.web',
    link: 'https://docs.aiohttp.org/en/stable/web_reference.html#fileresponse',
    sinks: [{ exports: 'FileResponse', kind: 'path', args: [0], options: 'path' }],
  },
  {
    package: 'sanic.response',
    link: 'https://sanic.dev/en/guide/basics/response.html',
    sinks: [{ exports: 'file file_stream', kind: 'path', args: [0], options: 'location' }],
  },
  {
    package: 'bottle.static_file',
    link: 'https://bottlepy.org/docs/dev/tutorial.html#static-files',
    sinks: [{ exports: 'default', kind: 'path', args: [], options: 'root' }],
  },
  {
    package: 'werkzeug.datastructures',
    link: 'https://werkzeug.palletsprojects.com/en/stable/datastructures/#werkzeug.datastructures.FileStorage.save',
    receivers: 'file f upload uploaded uploaded_file image photo avatar document attachment',
    sinks: [{ exports: '*.save', kind: 'path', args: [0], options: 'dst' }],
  },
];
