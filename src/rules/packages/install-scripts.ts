/**
 * Packages of npm that run a script when they are installed, and are known for it: most fetch or
 * build a program for the platform. Source: `scripts` of the newest version of each package of
 * npm.ts, and of the last 60 versions of packages with native code; npm registry, 2026-11-28.
 */
export const KNOWN_INSTALL_SCRIPTS = `
@apollo/protobufjs @arkweid/lefthook @biomejs/biome @evilmartians/lefthook @firebase/util
@parcel/watcher @prisma/client @prisma/engines @sentry/cli @sentry/profiling-node @swc/core
@tailwindcss/oxide @vscode/ripgrep argon2 aws-crt aws-sdk bcrypt better-sqlite3 bootstrap-vue
bs-platform bufferutil canvas chromedriver classic-level core-js core-js-pure cpu-features cypress
dd-trace deasync detox dtrace-provider edgedriver egg-bin egg-ci electron electron-chromedriver
electron-winstaller es5-ext esbuild farmhash ffmpeg-static fibers fsevents gatsby geckodriver
ghooks gifsicle grpc highlight.js hiredis hugo-bin husky iconv iltorb jpegtran-bin kerberos keytar
leveldown libxmljs2 lmdb mongodb-client-encryption mongodb-memory-server mozjpeg msgpackr-extract
msw node node-pty node-sass nodegit nodejieba nx onnxruntime-node optipng-bin oracledb
parcel-bundler phantomjs phantomjs-prebuilt playwright-chromium pngquant-bin pnpm pre-commit
precommit-hook prisma protobufjs puppeteer re2 realm robotjs secp256k1 serialport serverless sharp
simple-git-hooks snappy snyk sodium-native sqlite3 ssh2 styled-components svelte-preprocess
swiftlint tree-sitter truffle ttf2woff2 unix-dgram unrs-resolver usb utf-8-validate vue-demi
vuepress web3 websocket webstorm-disable-index workerd yarn yorkie zeromq zlib-sync
`;
