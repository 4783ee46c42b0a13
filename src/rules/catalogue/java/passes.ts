import { type Package, type SanitizerLine, USES, type Use } from '../line.ts';

const JDK = 'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java';
const IO = 'https://commons.apache.org/proper/commons-io/';

/** Functions that do more with data than any function does: that hands on what it is given. */
export const javaCarriers: readonly Package[] = [
  {
    package: 'java.nio.file',
    link: `${JDK}/nio/file/Path.html`,
    propagators: [{ exports: 'Paths.get Path.of FileSystems.getDefault.getPath' }],
  },
  {
    package: 'java.net',
    link: `${JDK}/net/URI.html`,
    propagators: [
      { exports: 'URL URI URI.create', from: [0, 1] },
      { exports: 'URLDecoder.decode', from: [0], decodes: true },
    ],
  },
  {
    package: 'java.util',
    link: `${JDK}/util/Base64.html`,
    propagators: [
      { exports: 'Base64.getDecoder.decode Base64.getUrlDecoder.decode', from: [0], decodes: true },
    ],
  },
  {
    package: 'java.util.regex',
    link: `${JDK}/util/regex/Matcher.html`,
    propagators: [{ exports: 'Pattern.compile.matcher Pattern.matcher', from: [0] }],
  },
  {
    package: 'com.datastax.oss.driver.api.core.cql',
    link: 'https://docs.datastax.com/en/developer/java-driver/latest/manual/core/statements/simple/',
    // What follows the text are values.
    propagators: [{ exports: 'SimpleStatement.newInstance', from: [0] }],
  },
  {
    package: 'org.springframework.util',
    link: 'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/util/StringUtils.html',
    propagators: [{ exports: 'StringUtils.cleanPath StringUtils.trimWhitespace', from: [0] }],
  },
];

function safe(name: string, exports: string, safeFor: readonly Use[], link: string): SanitizerLine {
  return { package: name, exports, safeFor, link };
}

/** Functions whose result is safe for some uses. */
export const javaProtections: readonly SanitizerLine[] = [
  safe(
    'java.lang',
    'Integer.parseInt Integer.valueOf Long.parseLong Long.valueOf Double.parseDouble ' +
      'Boolean.parseBoolean Short.parseShort Enum.valueOf',
    USES,
    `${JDK}/lang/Integer.html`,
  ),
  safe('java.math', 'BigDecimal BigInteger', USES, `${JDK}/math/BigInteger.html`),
  safe(
    'java.util',
    'Base64.getUrlEncoder.encodeToString Base64.getUrlEncoder.withoutPadding.encodeToString',
    USES,
    `${JDK}/util/Base64.html`,
  ),
  safe(
    'java.net',
    'URLEncoder.encode',
    ['path', 'url', 'redirect', 'html', 'command', 'key', 'xpath'],
    `${JDK}/net/URLEncoder.html`,
  ),
  safe(
    'org.apache.commons.lang',
    'StringEscapeUtils.escapeXml StringEscapeUtils.escapeHtml',
    ['html', 'xpath'],
    'https://commons.apache.org/proper/commons-lang/',
  ),
  safe(
    'org.apache.commons.text',
    'StringEscapeUtils.escapeXml10 StringEscapeUtils.escapeXml11 StringEscapeUtils.escapeHtml4',
    ['html', 'xpath'],
    'https://commons.apache.org/proper/commons-text/',
  ),
  safe(
    'org.springframework.web.util',
    'HtmlUtils.htmlEscape',
    ['html', 'xpath'],
    'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/web/util/HtmlUtils.html',
  ),
  safe(
    'org.apache.commons.io',
    'FilenameUtils.getName FilenameUtils.getBaseName FilenameUtils.getExtension',
    ['path'],
    IO,
  ),
  safe(
    'org.apache.commons.codec.digest',
    'DigestUtils.md5Hex DigestUtils.sha256Hex DigestUtils.sha1Hex',
    USES,
    'https://commons.apache.org/proper/commons-codec/',
  ),
  safe(
    'org.apache.commons.codec.binary',
    'Hex.encodeHexString',
    USES,
    'https://commons.apache.org/proper/commons-codec/',
  ),
  safe(
    'org.springframework.util',
    'DigestUtils.md5DigestAsHex',
    USES,
    'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/util/DigestUtils.html',
  ),
  safe(
    'org.springframework.web.util',
    'UriUtils.encode UriUtils.encodePathSegment',
    ['path', 'url', 'redirect'],
    'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework/web/util/UriUtils.html',
  ),
  safe(
    'org.owasp.esapi',
    '*.encodeForOS',
    ['command'],
    'https://owasp.org/www-project-enterprise-security-api/',
  ),
  safe(
    'org.springframework.ldap.support',
    'LdapEncoder.filterEncode LdapEncoder.nameEncode',
    ['sql'],
    'https://docs.spring.io/spring-ldap/reference/',
  ),
  safe(
    'org.postgresql.core',
    'Utils.escapeLiteral Utils.escapeIdentifier',
    ['sql'],
    'https://jdbc.postgresql.org/',
  ),
];
