import type { Package } from './line.ts';

/** Headless browsers and makers of pages as PDF or picture. */
export const browsers: readonly Package[] = [
  {
    package: 'puppeteer',
    link: 'https://pptr.dev/api/puppeteer.page',
    sinks: [
      {
        exports: '*.goto',
        kind: 'request',
        receivers: '',
        link: 'https://pptr.dev/api/puppeteer.page.goto',
      },
      {
        exports: '*.setContent',
        kind: 'render',
        receivers: 'page',
        link: 'https://pptr.dev/api/puppeteer.page.setcontent',
      },
      {
        exports: '*.evaluate *.evaluateHandle *.evaluateOnNewDocument *.waitForFunction',
        kind: 'code',
        receivers: 'page',
        link: 'https://pptr.dev/api/puppeteer.page.evaluate',
      },
      {
        exports: '*.addScriptTag *.addStyleTag',
        kind: 'request',
        options: 'url',
        receivers: '',
        link: 'https://pptr.dev/api/puppeteer.page.addscripttag',
      },
      {
        exports: '*.addScriptTag',
        kind: 'code',
        options: 'content',
        receivers: '',
        link: 'https://pptr.dev/api/puppeteer.page.addscripttag',
      },
      {
        exports: '*.screenshot *.pdf',
        kind: 'path',
        args: [],
        options: 'path',
        receivers: '',
        link: 'https://pptr.dev/api/puppeteer.pdfoptions',
      },
      {
        exports: 'launch',
        kind: 'program',
        args: [],
        options: 'executablePath',
        link: 'https://pptr.dev/api/puppeteer.launchoptions',
      },
      {
        exports: 'connect',
        kind: 'host',
        args: [],
        options: 'browserWSEndpoint browserURL',
        link: 'https://pptr.dev/api/puppeteer.connectoptions',
      },
    ],
  },
  {
    package: 'puppeteer-core',
    link: 'https://pptr.dev/api/puppeteer.page',
    sinks: [
      { exports: '*.goto', kind: 'request', receivers: '' },
      { exports: '*.setContent', kind: 'render', receivers: '' },
      {
        exports: '*.evaluate *.evaluateHandle *.evaluateOnNewDocument',
        kind: 'code',
        receivers: '',
      },
      { exports: '*.addScriptTag *.addStyleTag', kind: 'request', options: 'url', receivers: '' },
      { exports: '*.screenshot *.pdf', kind: 'path', args: [], options: 'path', receivers: '' },
      { exports: 'launch', kind: 'program', args: [], options: 'executablePath' },
    ],
  },
  {
    package: 'playwright',
    link: 'https://playwright.dev/docs/api/class-page',
    sinks: [
      { exports: '*.goto', kind: 'request', receivers: '', link: '#page-goto' },
      { exports: '*.setContent', kind: 'render', receivers: '', link: '#page-set-content' },
      {
        exports: '*.evaluate *.evaluateHandle *.waitForFunction *.evaluateAll',
        kind: 'code',
        receivers: '',
        link: '#page-evaluate',
      },
      {
        exports: '*.addInitScript',
        kind: 'code',
        args: [0],
        options: 'content',
        receivers: '',
        link: '#page-add-init-script',
      },
      {
        exports: '*.addInitScript *.addScriptTag *.addStyleTag *.setInputFiles',
        kind: 'path',
        args: [],
        options: 'path',
        receivers: '',
        link: '#page-add-script-tag',
      },
      {
        exports: '*.addScriptTag *.addStyleTag',
        kind: 'request',
        args: [],
        options: 'url',
        receivers: '',
        link: '#page-add-style-tag',
      },
      {
        exports: '*.screenshot *.pdf *.saveAs',
        kind: 'path',
        options: 'path',
        receivers: '',
        link: '#page-screenshot',
      },
      {
        exports: '*.connect *.connectOverCDP',
        kind: 'host',
        receivers: '',
        link: 'https://playwright.dev/docs/api/class-browsertype#browser-type-connect',
      },
      {
        exports: '*.launch *.launchPersistentContext',
        kind: 'program',
        args: [],
        options: 'executablePath',
        receivers: '',
        link: 'https://playwright.dev/docs/api/class-browsertype#browser-type-launch',
      },
      {
        exports: 'request.newContext',
        kind: 'request',
        args: [],
        options: 'baseURL',
        link: 'https://playwright.dev/docs/api/class-apirequest#api-request-new-context',
      },
    ],
  },
  {
    package: 'playwright-core',
    link: 'https://playwright.dev/docs/api/class-page',
    sinks: [
      { exports: '*.goto', kind: 'request', receivers: '' },
      { exports: '*.setContent', kind: 'render', receivers: '' },
      { exports: '*.evaluate *.addInitScript', kind: 'code', receivers: '' },
    ],
  },
  {
    package: 'selenium-webdriver',
    link: 'https://www.selenium.dev/selenium/docs/api/javascript/WebDriver.html',
    sinks: [
      { exports: '*.get *.to', kind: 'request', link: '#get' },
      { exports: '*.executeScript *.executeAsyncScript', kind: 'code', link: '#executeScript' },
      {
        exports: '*.usingServer',
        kind: 'host',
        link: 'https://www.selenium.dev/selenium/docs/api/javascript/Builder.html#usingServer',
      },
      {
        exports: '*.navigate.to *.navigate',
        kind: 'request',
        link: 'https://www.selenium.dev/selenium/docs/api/javascript/Navigation.html',
      },
      {
        exports: 'By.js',
        kind: 'code',
        link: 'https://www.selenium.dev/selenium/docs/api/javascript/By.html#js',
      },
      {
        exports: 'By.xpath',
        kind: 'xpath',
        severity: 'high',
        link: 'https://www.selenium.dev/selenium/docs/api/javascript/By.html#xpath',
      },
    ],
  },
  {
    package: 'webdriverio',
    link: 'https://webdriver.io/docs/api/browser',
    sinks: [
      {
        exports: '*.url *.navigateTo *.newWindow',
        kind: 'request',
        link: 'https://webdriver.io/docs/api/browser/url',
      },
      {
        exports: '*.execute *.executeAsync *.executeScript',
        kind: 'code',
        link: 'https://webdriver.io/docs/api/browser/execute',
      },
      {
        exports: '*.saveScreenshot *.savePDF',
        kind: 'path',
        link: 'https://webdriver.io/docs/api/browser/saveScreenshot',
      },
      {
        exports: 'remote attach',
        kind: 'host',
        args: [],
        options: 'hostname',
        link: 'https://webdriver.io/docs/configuration#hostname',
      },
    ],
  },
  {
    package: 'nightmare',
    link: 'https://github.com/segment-boneyard/nightmare',
    sinks: [
      { exports: '*.goto', kind: 'request', link: '#gotourl-headers' },
      { exports: '*.evaluate *.wait *.inject', kind: 'code', link: '#evaluatefn-arg1-arg2' },
      { exports: '*.screenshot *.pdf *.html', kind: 'path', link: '#screenshotpath-clip' },
    ],
  },
  {
    package: 'chrome-remote-interface',
    link: 'https://github.com/cyrus-and/chrome-remote-interface',
    sinks: [
      {
        exports: '*.navigate',
        kind: 'request',
        options: 'url',
        link: 'https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-navigate',
      },
      {
        exports: '*.Runtime.evaluate *.evaluate *.callFunctionOn *.compileScript',
        kind: 'code',
        options: 'expression functionDeclaration',
        link: 'https://chromedevtools.github.io/devtools-protocol/tot/Runtime/#method-evaluate',
      },
      {
        exports: '*.addScriptToEvaluateOnNewDocument',
        kind: 'code',
        options: 'source',
        link: 'https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-addScriptToEvaluateOnNewDocument',
      },
      {
        exports: '*.setDocumentContent',
        kind: 'render',
        options: 'html',
        link: 'https://chromedevtools.github.io/devtools-protocol/tot/Page/#method-setDocumentContent',
      },
      {
        exports: 'default New',
        kind: 'host',
        args: [],
        options: 'host',
        link: '#cdpoptions-callback',
      },
      {
        exports: '*.createTarget',
        kind: 'request',
        options: 'url',
        link: 'https://chromedevtools.github.io/devtools-protocol/tot/Target/#method-createTarget',
      },
    ],
  },
  {
    package: 'html-pdf',
    link: 'https://github.com/marcbachmann/node-html-pdf',
    sinks: [
      { exports: 'create', kind: 'render', link: '#usage' },
      {
        exports: 'create default',
        kind: 'render',
        args: [],
        options: 'header.contents footer.contents footer.contents.default',
        link: '#options',
      },
      { exports: '*.toFile', kind: 'path', link: '#usage' },
      {
        exports: 'create.base create default',
        kind: 'request',
        args: [],
        options: 'base script',
        link: '#options',
      },
    ],
  },
  {
    package: 'html-pdf-node',
    link: 'https://github.com/mrafiqk/html-pdf-node',
    sinks: [
      { exports: 'generatePdf generatePdfs', kind: 'request', args: [], options: 'url' },
      { exports: 'generatePdf', kind: 'render', args: [], options: 'content' },
    ],
  },
  {
    package: 'wkhtmltopdf',
    link: 'https://github.com/devongovett/node-wkhtmltopdf',
    sinks: [
      { exports: 'default', kind: 'render', link: '#usage' },
      { exports: 'default.output default', kind: 'path', args: [], options: 'output' },
    ],
  },
  {
    package: 'wkhtmltoimage',
    link: 'https://github.com/dtinth/node-wkhtmltoimage',
    sinks: [{ exports: 'generate', kind: 'render' }],
  },
  {
    package: 'jsdom',
    link: 'https://github.com/jsdom/jsdom',
    sinks: [
      {
        exports: 'JSDOM',
        kind: 'code',
        when: 'runScripts',
        severity: 'high',
        link: '#executing-scripts',
      },
      { exports: 'JSDOM.fromURL', kind: 'request', link: '#fromurl' },
      { exports: 'JSDOM.fromFile', kind: 'path', link: '#fromfile' },
      { exports: '*.eval', kind: 'code', link: '#executing-scripts' },
    ],
  },
  {
    package: 'node-html-to-image',
    link: 'https://github.com/frinyvonnick/node-html-to-image',
    sinks: [
      { exports: 'default', kind: 'render', args: [], options: 'html', link: '#options' },
      {
        exports: 'default.output default',
        kind: 'path',
        args: [],
        options: 'output',
        link: '#options',
      },
    ],
  },
  {
    package: 'capture-website',
    link: 'https://github.com/sindresorhus/capture-website',
    sinks: [
      { exports: 'file buffer base64', kind: 'request', link: '#api' },
      {
        exports: 'file',
        kind: 'path',
        args: [1],
        link: '#capturewebsitefileinput-outputfilepath-options',
      },
      {
        exports: 'buffer file base64',
        kind: 'code',
        args: [],
        options: 'scripts modules',
        severity: 'high',
        link: '#scripts',
      },
    ],
  },
  {
    package: 'pageres',
    link: 'https://github.com/sindresorhus/pageres',
    sinks: [{ exports: '*.source', kind: 'request', link: '#pageressourceurl-sizes-options' }],
  },
  {
    package: 'webshot',
    link: 'https://github.com/brenden/node-webshot',
    sinks: [{ exports: 'default', kind: 'request', args: [0] }],
  },
];
