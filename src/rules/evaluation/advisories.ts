/**
 * Published advisories of npm packages: the last version that has the defect, the first that has
 * not, and the files that mend it. `cra llm eval` makes a change from the two packages: backwards
 * it brings the defect in, forwards it takes it out. The advisories are at
 * https://nvd.nist.gov/vuln/detail/CVE-... and https://github.com/advisories/GHSA-...
 */
export interface AdvisoryCase {
  package: string;
  vulnerable: string;
  fixed: string;
  advisory: string;
  files: readonly string[];
  /** The class of review findings that names it (`gates/review/classes`). */
  class: string;
}

const TABLE = `
lodash 4.17.11 4.17.12 CVE-2019-10744 other _baseMerge.js,_safeGet.js
minimist 1.2.5 1.2.6 CVE-2021-44906 other index.js
minimist 1.2.2 1.2.3 CVE-2020-7598 other index.js
handlebars 4.7.6 4.7.7 CVE-2021-23369 code-injection lib/handlebars/compiler/javascript-compiler.js
handlebars 4.5.2 4.5.3 CVE-2019-20920 code-injection lib/handlebars/helpers/lookup.js,lib/handlebars/compiler/javascript-compiler.js
ejs 3.1.6 3.1.7 CVE-2022-29078 code-injection lib/ejs.js,lib/utils.js
ejs 3.1.9 3.1.10 CVE-2024-33883 code-injection lib/ejs.js,lib/utils.js
pug-code-gen 2.0.2 2.0.3 CVE-2021-21353 code-injection index.js
serialize-javascript 3.0.0 3.1.0 CVE-2020-7660 cross-site-scripting index.js
serialize-javascript 2.1.0 2.1.1 CVE-2019-16769 cross-site-scripting index.js
jsonwebtoken 4.2.1 4.2.2 CVE-2015-9235 session-or-token index.js
jsonwebtoken 8.5.1 9.0.0 CVE-2022-23540 session-or-token verify.js
axios 0.21.0 0.21.1 CVE-2020-28168 server-side-request lib/adapters/http.js
axios 0.21.1 0.21.2 CVE-2021-3749 denial-of-service lib/utils.js
axios 1.7.3 1.7.4 CVE-2024-39338 server-side-request lib/adapters/http.js
axios 1.8.1 1.8.2 CVE-2025-27152 server-side-request lib/adapters/http.js
follow-redirects 1.14.6 1.14.7 CVE-2022-0155 secret-exposed index.js
follow-redirects 1.14.7 1.14.8 CVE-2022-0536 secret-exposed index.js
follow-redirects 1.15.5 1.15.6 CVE-2024-28849 secret-exposed index.js
node-fetch 2.6.6 2.6.7 CVE-2022-0235 secret-exposed lib/index.js
node-fetch 2.6.0 2.6.1 CVE-2020-15168 denial-of-service lib/index.js
express 4.19.1 4.19.2 CVE-2024-29041 other lib/response.js
express 4.19.2 4.20.0 CVE-2024-43796 cross-site-scripting lib/response.js
send 0.18.0 0.19.0 CVE-2024-43799 cross-site-scripting index.js
serve-static 1.15.0 1.16.0 CVE-2024-43800 cross-site-scripting index.js
send 0.8.3 0.8.4 CVE-2014-6394 path-traversal lib/send.js
st 0.2.4 0.2.5 CVE-2014-3744 path-traversal st.js
serve-static 1.7.1 1.7.2 CVE-2015-1164 other index.js
qs 6.9.6 6.9.7 CVE-2022-24999 denial-of-service lib/parse.js
qs 6.2.2 6.2.3 CVE-2017-1000048 denial-of-service lib/parse.js,lib/utils.js
tough-cookie 4.1.2 4.1.3 CVE-2023-26136 other lib/memstore.js
cookie 0.6.0 0.7.0 CVE-2024-47764 cross-site-scripting index.js
ws 8.17.0 8.17.1 CVE-2024-37890 denial-of-service lib/websocket-server.js,lib/websocket.js
ws 1.1.0 1.1.1 CVE-2016-10542 denial-of-service lib/WebSocketServer.js
socket.io-parser 3.4.0 3.4.1 CVE-2020-36049 denial-of-service index.js
tar 6.1.0 6.1.1 CVE-2021-32803 path-traversal lib/unpack.js
tar 6.1.1 6.1.2 CVE-2021-32804 path-traversal lib/unpack.js
tar 6.1.8 6.1.9 CVE-2021-37713 path-traversal lib/strip-absolute-path.js,lib/unpack.js
tar 4.4.1 4.4.2 CVE-2018-20834 path-traversal lib/unpack.js
tar-fs 3.0.6 3.0.7 CVE-2024-12905 path-traversal index.js
tar-fs 1.16.1 1.16.2 CVE-2018-20835 path-traversal index.js
adm-zip 0.4.10 0.4.11 CVE-2018-1002204 path-traversal adm-zip.js,util/utils.js
unzipper 0.8.12 0.8.13 CVE-2018-1002203 path-traversal lib/extract.js
decompress 4.2.0 4.2.1 CVE-2020-12265 path-traversal index.js
y18n 4.0.0 4.0.1 CVE-2020-7774 other index.js
yargs-parser 18.1.0 18.1.1 CVE-2020-7608 other index.js
dot-prop 5.1.0 5.1.1 CVE-2020-8116 other index.js
set-value 3.0.0 3.0.1 CVE-2019-10747 other index.js
set-value 4.0.0 4.0.1 CVE-2021-23440 other index.js
mixin-deep 1.3.1 1.3.2 CVE-2019-10746 other index.js
merge-deep 3.0.2 3.0.3 CVE-2021-26707 other index.js
deep-extend 0.5.0 0.5.1 CVE-2018-3750 other lib/deep-extend.js
extend 3.0.1 3.0.2 CVE-2018-16492 other index.js
hoek 4.2.0 4.2.1 CVE-2018-3728 other lib/index.js
defaults-deep 0.2.3 0.2.4 CVE-2018-3723 other index.js
merge 1.2.0 1.2.1 CVE-2018-16469 other merge.js
object-path 0.11.4 0.11.5 CVE-2020-15256 other index.js
immer 8.0.0 8.0.1 CVE-2020-28477 other src/plugins/patches.ts
immer 9.0.5 9.0.6 CVE-2021-23436 other src/plugins/patches.ts
ini 1.3.5 1.3.6 CVE-2020-7788 other ini.js
json5 2.2.1 2.2.2 CVE-2022-46175 other lib/parse.js
jsonpointer 4.1.0 5.0.0 CVE-2021-23807 other jsonpointer.js
json-schema 0.3.0 0.4.0 CVE-2021-3918 other lib/validate.js
property-expr 2.0.2 2.0.3 CVE-2020-7707 other index.js
mpath 0.8.3 0.8.4 CVE-2021-23438 other lib/index.js
mquery 3.2.2 3.2.3 CVE-2020-35149 other lib/utils.js
mongoose 5.13.14 5.13.15 CVE-2022-2564 other lib/schema.js
mongoose 6.11.2 6.11.3 CVE-2023-3696 other lib/document.js,lib/utils.js
mongoose 8.8.2 8.8.3 CVE-2024-53900 query-injection lib/helpers/populate/assignVals.js
shelljs 0.8.4 0.8.5 CVE-2022-0144 secret-exposed src/exec.js
shell-quote 1.7.2 1.7.3 CVE-2021-42740 command-injection index.js
shell-quote 1.6.0 1.6.1 CVE-2016-10541 command-injection index.js
systeminformation 4.26.1 4.26.2 CVE-2020-7752 command-injection lib/internet.js,lib/util.js
systeminformation 5.3.0 5.3.1 CVE-2021-21315 command-injection lib/internet.js,lib/processes.js
systeminformation 5.21.6 5.21.7 CVE-2023-42810 command-injection lib/wifi.js
node-notifier 8.0.0 8.0.1 CVE-2020-7789 command-injection lib/utils.js
macaddress 0.2.8 0.2.9 CVE-2018-13797 command-injection lib/linux.js,lib/unix.js,lib/windows.js
git-clone 0.1.0 0.2.0 CVE-2022-25900 command-injection index.js
kill-port 1.3.1 1.3.2 CVE-2019-5414 command-injection index.js
xml2js 0.4.23 0.5.0 CVE-2023-0842 other lib/parser.js
fast-xml-parser 4.1.1 4.1.2 CVE-2023-26920 other src/xmlparser/OrderedObjParser.js
js-yaml 3.13.0 3.13.1 GHSA-8j8c-7jfh-h6hx code-injection lib/js-yaml/loader.js
js-yaml 4.1.0 4.1.1 CVE-2025-64718 other lib/loader.js
sanitize-html 1.4.2 1.4.3 CVE-2016-1000237 cross-site-scripting index.js
sanitize-html 2.3.1 2.3.2 CVE-2021-26540 other index.js
underscore 1.12.0 1.12.1 CVE-2021-23358 code-injection modules/template.js
crypto-js 4.1.1 4.2.0 CVE-2023-46233 cryptography pbkdf2.js
elliptic 6.5.3 6.5.4 CVE-2020-28498 cryptography lib/elliptic/ec/key.js
elliptic 6.5.5 6.5.6 CVE-2024-42459 cryptography lib/elliptic/eddsa/index.js
elliptic 6.6.0 6.6.1 GHSA-vjh7-7g9h-fjfh cryptography lib/elliptic/ec/index.js
node-forge 0.9.2 0.10.0 CVE-2020-7720 other lib/util.js
node-forge 1.2.1 1.3.0 CVE-2022-24771 cryptography lib/rsa.js
pbkdf2 3.1.2 3.1.3 CVE-2025-6545 cryptography lib/to-buffer.js,browser.js
form-data 4.0.3 4.0.4 CVE-2025-7783 cryptography lib/form_data.js
undici 5.5.0 5.5.1 CVE-2022-31150 other lib/core/request.js
undici 5.8.1 5.8.2 CVE-2022-35948 other lib/core/request.js
undici 5.28.2 5.28.3 CVE-2024-24758 secret-exposed lib/fetch/index.js
passport 0.5.2 0.6.0 CVE-2022-25896 session-or-token lib/sessionmanager.js
passport-saml 3.2.0 3.2.2 CVE-2022-39299 authentication-weakened lib/node-saml/saml.js
xml-crypto 6.0.0 6.0.1 CVE-2025-29775 authentication-weakened lib/signed-xml.js
samlify 2.9.0 2.10.0 CVE-2025-47949 authentication-weakened src/libsaml.ts
jose 2.0.4 2.0.5 CVE-2021-29443 cryptography lib/jwa/aes_cbc_hmac_sha2.js
fastify 4.10.1 4.10.2 CVE-2022-41919 cross-site-request lib/contentTypeParser.js
@fastify/multipart 7.4.0 7.4.1 CVE-2023-25576 denial-of-service index.js
vm2 3.9.14 3.9.15 CVE-2023-29017 code-injection lib/setup-sandbox.js
vm2 3.9.10 3.9.11 CVE-2022-36067 code-injection lib/setup-sandbox.js
static-eval 1.1.1 2.0.0 CVE-2017-16226 code-injection index.js
safe-eval 0.3.0 0.4.0 CVE-2017-16088 code-injection index.js
mathjs 3.16.5 3.17.0 CVE-2017-1001002 code-injection lib/expression/node/ObjectNode.js
angular-expressions 1.1.1 1.1.2 CVE-2021-21277 code-injection lib/main.js
mustache 2.2.0 2.2.1 CVE-2015-8862 cross-site-scripting mustache.js
mysql 2.0.0-alpha7 2.0.0-alpha8 CVE-2015-9244 query-injection lib/protocol/SqlString.js
mysql2 3.9.3 3.9.4 CVE-2024-21508 code-injection lib/parsers/text_parser.js
mysql2 3.9.6 3.9.7 CVE-2024-21512 other lib/parsers/binary_parser.js,lib/parsers/text_parser.js
sequelize 5.8.10 5.8.11 CVE-2019-10752 query-injection lib/dialects/abstract/query-generator.js
sequelize 4.44.2 4.44.3 CVE-2019-10748 query-injection lib/dialects/mysql/query-generator.js
knex 0.19.4 0.19.5 CVE-2019-10757 query-injection lib/dialects/mssql/index.js,lib/query/compiler.js
knex 2.3.0 2.4.0 CVE-2016-20018 query-injection lib/dialects/mysql/query/mysql-querycompiler.js
mongo-express 0.53.0 0.54.0 CVE-2019-10758 code-injection lib/bson.js
bson 1.1.3 1.1.4 CVE-2020-7610 unsafe-deserialization lib/bson/parser/serializer.js
msgpackr 1.10.0 1.10.1 CVE-2023-52079 denial-of-service unpack.js
superjson 1.8.0 1.8.1 CVE-2022-23631 unsafe-deserialization src/accessDeep.ts
devalue 5.3.1 5.3.2 CVE-2025-57820 unsafe-deserialization src/parse.js
convict 6.2.1 6.2.2 CVE-2022-22143 other src/main.js
nconf 0.11.3 0.11.4 CVE-2022-21803 other lib/nconf/stores/memory.js
flat 5.0.0 5.0.1 CVE-2020-36632 other index.js
url-parse 1.5.1 1.5.2 CVE-2021-3664 server-side-request index.js
url-parse 1.5.8 1.5.9 CVE-2022-0691 server-side-request index.js
ip 2.0.0 2.0.1 CVE-2023-42282 server-side-request lib/ip.js
private-ip 1.0.5 2.0.0 CVE-2020-28360 server-side-request lib/index.js
http-proxy-agent 2.0.0 2.1.0 CVE-2018-3739 memory-safety index.js
resolve-path 1.3.3 1.4.0 CVE-2018-3732 path-traversal index.js
formidable 3.2.3 3.2.4 CVE-2022-29622 path-traversal src/Formidable.js
multer 1.4.4 1.4.5-lts.1 CVE-2022-24434 denial-of-service lib/make-middleware.js
multer 1.4.5-lts.2 2.0.0 CVE-2025-47935 denial-of-service lib/make-middleware.js
express-fileupload 1.1.9 1.1.10 CVE-2020-35149 other lib/processNested.js
body-parser 1.20.2 1.20.3 CVE-2024-45590 denial-of-service lib/types/urlencoded.js
nodemailer 6.6.0 6.6.1 CVE-2021-23400 other lib/mime-node/index.js
jsonpath-plus 10.1.0 10.2.0 CVE-2024-21534 code-injection src/Safe-Script.js
loader-utils 2.0.2 2.0.3 CVE-2022-37601 other lib/parseQuery.js
cached-path-relative 1.0.1 1.0.2 CVE-2018-16472 other lib/index.js
cached-path-relative 1.0.2 1.1.0 CVE-2021-23518 other lib/index.js
http-cache-semantics 4.1.0 4.1.1 CVE-2022-25881 denial-of-service index.js
cookiejar 2.1.3 2.1.4 CVE-2022-25901 denial-of-service cookiejar.js
`;

/** One line a case: package, versions, advisory, class, files. */
export const ADVISORIES: readonly AdvisoryCase[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [name = '', vulnerable = '', fixed = '', advisory = '', kind = '', files = ''] =
      line.split(' ');
    return {
      package: name,
      vulnerable,
      fixed,
      advisory,
      class: kind,
      files: files.split(','),
    };
  });

const ORDINARY = `
commander 11.0.0 11.1.0 lib/option.js,index.js,lib/help.js
express 4.18.2 4.18.3 lib/utils.js,lib/router/route.js
winston 3.11.0 3.12.0 lib/winston/rejection-handler.js,lib/winston.js,lib/winston/transports/file.js
rxjs 7.8.0 7.8.1 src/internal/operators/throttle.ts,src/internal/types.ts,src/internal/operators/tap.ts
bluebird 3.7.1 3.7.2 js/release/debuggability.js
ramda 0.29.0 0.29.1 src/anyPass.js,src/find.js,src/findIndex.js
zod 3.22.3 3.22.4 lib/ZodError.js,lib/helpers/util.js,lib/index.mjs
yup 1.3.1 1.3.2 index.js
joi 17.10.2 17.11.0 lib/template.js
ajv 8.11.0 8.12.0 lib/vocabularies/jtd/properties.ts,lib/types/jtd-schema.ts,lib/compile/jtd/serialize.ts
redux 4.2.0 4.2.1 es/redux.js,lib/redux.js,src/index.js
mobx 6.10.0 6.10.2 src/types/type-utils.ts,src/types/legacyobservablearray.ts,src/api/makeObservable.ts
preact 10.18.1 10.18.2 src/clone-element.js,src/diff/props.js,src/render.js
koa 2.14.1 2.14.2 lib/application.js
koa-router 12.0.0 12.0.1 lib/router.js
cors 2.8.4 2.8.5 lib/index.js
morgan 1.9.1 1.10.0 index.js
compression 1.7.3 1.7.4 index.js
execa 7.1.1 7.2.0 lib/error.js
ora 6.3.0 6.3.1 index.js
inquirer 9.2.10 9.2.11 lib/prompts/editor.js
pg 8.11.2 8.11.3 lib/result.js
knex 2.5.0 2.5.1 lib/migrations/util/import-file.js,lib/dialects/oracledb/schema/oracledb-viewbuilder.js,lib/migrations/seed/seed-stub.js
objection 3.1.0 3.1.1 lib/model/AjvValidator.js
ws 8.13.0 8.14.0 lib/websocket-server.js,lib/receiver.js,lib/websocket.js
mocha 10.1.0 10.2.0 lib/mocha.js,mocha.js
chai 4.3.8 4.3.10 chai.js
sinon 16.0.0 16.1.0 lib/sinon/sandbox.js
nock 13.3.2 13.3.3 lib/intercept.js
`;

/** Ordinary releases of npm packages: changes in which nothing should block. */
export interface OrdinaryCase {
  package: string;
  from: string;
  to: string;
  files: readonly string[];
}

/** One line a case: package, versions, files. */
export const ORDINARY_RELEASES: readonly OrdinaryCase[] = ORDINARY.trim()
  .split('\n')
  .map((line) => {
    const [name = '', from = '', to = '', files = ''] = line.split(' ');
    return { package: name, from, to, files: files.split(',') };
  });
