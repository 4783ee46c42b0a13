import type { Package } from '../line.ts';

const DOC = 'https://pkg.go.dev';

/** What starts programs, runs text, opens files, sends requests, and reads what others wrote. */
export const golangSinks: readonly Package[] = [
  {
    package: 'os/exec',
    link: `${DOC}/os/exec#Command`,
    sinks: [
      { exports: 'Command CommandContext', kind: 'program' },
      { exports: 'Cmd', kind: 'program', options: 'Path Args', link: `${DOC}/os/exec#Cmd` },
    ],
  },
  {
    package: 'os',
    link: `${DOC}/os#pkg-functions`,
    sinks: [
      { exports: 'StartProcess', kind: 'program', args: [0, 1] },
      {
        exports:
          'Open OpenFile Create ReadFile WriteFile Remove RemoveAll Mkdir MkdirAll ReadDir ' +
          'Truncate Chmod Chown Lchown Chtimes Chdir Readlink DirFS OpenRoot OpenInRoot CopyFS',
        kind: 'path',
      },
      { exports: 'Rename Link Symlink', kind: 'path', args: [0, 1] },
      { exports: 'Stat Lstat', kind: 'look' },
    ],
  },
  {
    package: 'syscall',
    link: `${DOC}/syscall#Exec`,
    sinks: [
      { exports: 'Exec ForkExec StartProcess', kind: 'program', args: [0, 1] },
      { exports: 'Open Unlink Rmdir Mkdir Chmod Creat Truncate', kind: 'path' },
      { exports: 'Rename Link Symlink', kind: 'path', args: [0, 1] },
    ],
  },
  {
    package: 'golang.org/x/sys/unix',
    link: `${DOC}/golang.org/x/sys/unix`,
    sinks: [
      { exports: 'Exec', kind: 'program', args: [0, 1] },
      { exports: 'Open Unlink Rmdir Mkdir Chmod Creat Truncate', kind: 'path' },
    ],
  },
  {
    package: 'golang.org/x/crypto/ssh',
    link: `${DOC}/golang.org/x/crypto/ssh#Session.Run`,
    receivers: 'session sess sshSession',
    sinks: [
      { exports: '*.Run *.Start *.Output *.CombinedOutput', kind: 'shell' },
      { exports: 'Dial', kind: 'host', args: [1], receivers: '' },
    ],
  },
  {
    package: 'github.com/melbahja/goph',
    link: `${DOC}/github.com/melbahja/goph#Client.Run`,
    sinks: [{ exports: '*.Run *.RunContext', kind: 'shell' }],
  },
  {
    package: 'github.com/go-cmd/cmd',
    link: `${DOC}/github.com/go-cmd/cmd#NewCmd`,
    sinks: [{ exports: 'NewCmd', kind: 'program' }],
  },
  {
    package: 'github.com/magefile/mage/sh',
    link: `${DOC}/github.com/magefile/mage/sh`,
    sinks: [{ exports: 'Run RunV Output RunCmd OutCmd', kind: 'program' }],
  },
  {
    package: 'github.com/codeskyblue/go-sh',
    link: `${DOC}/github.com/codeskyblue/go-sh#Command`,
    sinks: [{ exports: 'Command *.Command', kind: 'program' }],
  },
  {
    package: 'github.com/bitfield/script',
    link: `${DOC}/github.com/bitfield/script#Exec`,
    sinks: [
      { exports: 'Exec *.Exec *.ExecForEach', kind: 'shell' },
      { exports: 'File *.WriteFile *.AppendFile ListFiles FindFiles', kind: 'path' },
      { exports: 'Get', kind: 'request' },
    ],
  },
  {
    package: 'plugin',
    link: `${DOC}/plugin#Open`,
    sinks: [{ exports: 'Open', kind: 'module' }],
  },
  {
    package: 'github.com/dop251/goja',
    link: `${DOC}/github.com/dop251/goja#Runtime.RunString`,
    sinks: [
      { exports: '*.RunString', kind: 'code', receivers: 'vm' },
      { exports: '*.RunScript Compile MustCompile', kind: 'code', args: [1] },
    ],
  },
  {
    package: 'github.com/robertkrimen/otto',
    link: `${DOC}/github.com/robertkrimen/otto#Otto.Run`,
    sinks: [{ exports: '*.Run *.Eval Run', kind: 'code' }],
  },
  {
    package: 'github.com/yuin/gopher-lua',
    link: `${DOC}/github.com/yuin/gopher-lua#LState.DoString`,
    sinks: [{ exports: '*.DoString *.LoadString', kind: 'code', receivers: 'L luaState' }],
  },
  {
    package: 'github.com/traefik/yaegi/interp',
    link: `${DOC}/github.com/traefik/yaegi/interp#Interpreter.Eval`,
    sinks: [{ exports: '*.Eval *.EvalWithContext', kind: 'code' }],
  },
  {
    package: 'rogchap.com/v8go',
    link: `${DOC}/rogchap.com/v8go#Context.RunScript`,
    sinks: [{ exports: '*.RunScript', kind: 'code' }],
  },
  {
    package: 'github.com/d5/tengo',
    link: `${DOC}/github.com/d5/tengo/v2#NewScript`,
    sinks: [{ exports: 'NewScript Eval', kind: 'code' }],
  },
  {
    package: 'text/template',
    link: `${DOC}/text/template#Template.Parse`,
    sinks: [
      { exports: '*.Parse', kind: 'template', receivers: 'tmpl tpl' },
      { exports: 'ParseFiles ParseGlob *.ParseFiles *.ParseGlob', kind: 'path' },
    ],
  },
  {
    package: 'html/template',
    link: `${DOC}/html/template#Template.Parse`,
    sinks: [
      { exports: '*.Parse', kind: 'template' },
      { exports: 'ParseFiles ParseGlob *.ParseFiles *.ParseGlob', kind: 'path' },
    ],
  },
  {
    package: 'github.com/flosch/pongo2',
    link: `${DOC}/github.com/flosch/pongo2/v6#FromString`,
    sinks: [
      { exports: 'FromString *.FromString RenderTemplateString', kind: 'template' },
      { exports: 'FromFile RenderTemplateFile', kind: 'path' },
    ],
  },
  {
    package: 'encoding/gob',
    link: `${DOC}/encoding/gob#hdr-Security`,
    sinks: [{ exports: 'NewDecoder', kind: 'objects' }],
  },
  {
    package: 'net/rpc',
    link: `${DOC}/net/rpc#ServeConn`,
    sinks: [
      { exports: 'ServeConn *.ServeConn', kind: 'objects' },
      { exports: 'Dial DialHTTP', kind: 'host', args: [1] },
    ],
  },
  ...['xmlquery', 'htmlquery', 'jsonquery'].map(
    (name): Package => ({
      package: `github.com/antchfx/${name}`,
      link: `${DOC}/github.com/antchfx/${name}#Find`,
      sinks: [
        { exports: 'Find FindOne Query QueryAll FindEach', kind: 'xpath', args: [1] },
        { exports: 'LoadURL', kind: 'request' },
        { exports: 'LoadDoc', kind: 'path' },
      ],
    }),
  ),
  {
    package: 'github.com/antchfx/xpath',
    link: `${DOC}/github.com/antchfx/xpath#Compile`,
    sinks: [{ exports: 'Compile MustCompile', kind: 'xpath' }],
  },
  {
    package: 'gopkg.in/xmlpath',
    link: `${DOC}/gopkg.in/xmlpath.v2#Compile`,
    sinks: [{ exports: 'Compile MustCompile', kind: 'xpath' }],
  },
  {
    package: 'github.com/beevik/etree',
    link: `${DOC}/github.com/beevik/etree#CompilePath`,
    sinks: [
      { exports: '*.FindElement *.FindElements CompilePath MustCompilePath', kind: 'xpath' },
      { exports: '*.ReadFromFile *.WriteToFile', kind: 'path' },
    ],
  },
  {
    package: 'github.com/lestrrat-go/libxml2',
    link: `${DOC}/github.com/lestrrat-go/libxml2#ParseString`,
    sinks: [{ exports: '*.Find *.FindXPath', kind: 'xpath' }],
  },
  {
    package: 'github.com/lestrrat-go/libxml2/xpath',
    link: `${DOC}/github.com/lestrrat-go/libxml2/xpath#NewExpression`,
    sinks: [{ exports: 'NewExpression', kind: 'xpath' }],
  },
  {
    package: 'io/ioutil',
    link: `${DOC}/io/ioutil`,
    sinks: [{ exports: 'ReadFile WriteFile ReadDir TempDir', kind: 'path' }],
  },
  {
    package: 'path/filepath',
    link: `${DOC}/path/filepath#Glob`,
    sinks: [{ exports: 'Walk WalkDir Glob', kind: 'path' }],
  },
  {
    package: 'net/http',
    link: `${DOC}/net/http#pkg-functions`,
    sinks: [
      {
        exports:
          'Get Head Post PostForm DefaultClient.Get DefaultClient.Head DefaultClient.Post ' +
          'DefaultClient.PostForm Client.Get Client.Head Client.Post Client.PostForm',
        kind: 'request',
        receivers: 'httpClient httpc',
      },
      { exports: 'NewRequest NewRequestWithContext', kind: 'request', args: [1] },
      { exports: 'Request', kind: 'request', options: 'URL' },
      { exports: 'ServeFile', kind: 'path', args: [2], link: `${DOC}/net/http#ServeFile` },
      { exports: 'Dir', kind: 'path', link: `${DOC}/net/http#Dir` },
    ],
  },
  {
    package: 'net/http/httputil',
    link: `${DOC}/net/http/httputil#NewSingleHostReverseProxy`,
    sinks: [{ exports: 'NewSingleHostReverseProxy', kind: 'request' }],
  },
  {
    package: 'net',
    link: `${DOC}/net#Dial`,
    sinks: [
      {
        exports: 'Dial DialTimeout Dialer.Dial Dialer.DialContext DialTCP DialUDP',
        kind: 'host',
        args: [1],
      },
    ],
  },
  {
    package: 'crypto/tls',
    link: `${DOC}/crypto/tls#Dial`,
    sinks: [{ exports: 'Dial Dialer.DialContext', kind: 'host', args: [1] }],
  },
  {
    package: 'net/smtp',
    link: `${DOC}/net/smtp#SendMail`,
    sinks: [{ exports: 'SendMail Dial', kind: 'host' }],
  },
  {
    package: 'google.golang.org/grpc',
    link: `${DOC}/google.golang.org/grpc#NewClient`,
    sinks: [{ exports: 'Dial DialContext NewClient', kind: 'host' }],
  },
  {
    package: 'github.com/go-resty/resty',
    link: `${DOC}/github.com/go-resty/resty/v2#Request.Get`,
    sinks: [
      { exports: '*.Get *.Post *.Put *.Delete *.Patch *.Head *.Options', kind: 'request' },
      { exports: '*.SetBaseURL *.SetHostURL', kind: 'request' },
      { exports: '*.Execute', kind: 'request', args: [1] },
    ],
  },
  {
    package: 'github.com/imroc/req',
    link: `${DOC}/github.com/imroc/req/v3#Request.Get`,
    sinks: [{ exports: 'Get Post MustGet *.Get *.Post *.Put *.Delete *.Patch', kind: 'request' }],
  },
  {
    package: 'github.com/hashicorp/go-retryablehttp',
    link: `${DOC}/github.com/hashicorp/go-retryablehttp#Client.Get`,
    sinks: [
      { exports: 'Get Head Post PostForm NewClient.Get NewClient.Post', kind: 'request' },
      { exports: 'NewRequest NewRequestWithContext', kind: 'request', args: [1] },
    ],
  },
  {
    package: 'github.com/parnurzeal/gorequest',
    link: `${DOC}/github.com/parnurzeal/gorequest#SuperAgent.Get`,
    sinks: [{ exports: '*.Get *.Post *.Put *.Delete *.Head', kind: 'request' }],
  },
  {
    package: 'github.com/valyala/fasthttp',
    link: `${DOC}/github.com/valyala/fasthttp#Get`,
    sinks: [
      { exports: 'Get GetTimeout Post', kind: 'request', args: [1] },
      { exports: 'AcquireRequest.SetRequestURI Request.SetRequestURI', kind: 'request' },
      { exports: 'RequestCtx.SendFile ServeFile', kind: 'path', args: [0, 1] },
    ],
  },
  {
    package: 'github.com/gorilla/websocket',
    link: `${DOC}/github.com/gorilla/websocket#Dialer.Dial`,
    sinks: [
      {
        exports: 'DefaultDialer.Dial DefaultDialer.DialContext Dialer.Dial Dialer.DialContext',
        kind: 'request',
      },
    ],
  },
  {
    package: 'github.com/gocolly/colly',
    link: `${DOC}/github.com/gocolly/colly/v2#Collector.Visit`,
    sinks: [{ exports: '*.Visit *.Post', kind: 'request' }],
  },
  {
    package: 'github.com/chromedp/chromedp',
    link: `${DOC}/github.com/chromedp/chromedp#Navigate`,
    sinks: [
      { exports: 'Navigate', kind: 'request' },
      { exports: 'Evaluate', kind: 'code' },
    ],
  },
  {
    package: 'github.com/go-rod/rod',
    link: `${DOC}/github.com/go-rod/rod#Page.Navigate`,
    sinks: [{ exports: '*.Navigate *.MustNavigate *.MustPage', kind: 'request' }],
  },
  {
    package: 'github.com/go-git/go-git',
    link: `${DOC}/github.com/go-git/go-git/v5#CloneOptions`,
    sinks: [{ exports: 'CloneOptions', kind: 'request', options: 'URL' }],
  },
  {
    package: 'github.com/mmcdole/gofeed',
    link: `${DOC}/github.com/mmcdole/gofeed#Parser.ParseURL`,
    sinks: [{ exports: '*.ParseURL *.ParseURLWithContext', kind: 'request' }],
  },
  {
    package: 'github.com/gin-gonic/gin',
    link: `${DOC}/github.com/gin-gonic/gin#Context.File`,
    sinks: [
      { exports: 'Context.File Context.FileAttachment', kind: 'path', receivers: 'c' },
      { exports: 'Context.SaveUploadedFile', kind: 'path', args: [1], receivers: 'c ctx' },
    ],
  },
  {
    package: 'github.com/labstack/echo',
    link: `${DOC}/github.com/labstack/echo/v4#Context`,
    sinks: [
      { exports: 'Context.File Context.Attachment Context.Inline', kind: 'path', receivers: 'c' },
    ],
  },
  {
    package: 'github.com/gofiber/fiber',
    link: `${DOC}/github.com/gofiber/fiber/v2#Ctx.SendFile`,
    sinks: [
      { exports: 'Ctx.SendFile Ctx.Download', kind: 'path', receivers: 'c' },
      { exports: 'Ctx.SaveFile', kind: 'path', args: [1], receivers: 'c' },
    ],
  },
  {
    package: 'archive/zip',
    link: `${DOC}/archive/zip#OpenReader`,
    sinks: [{ exports: 'OpenReader', kind: 'path' }],
  },
  {
    package: 'github.com/otiai10/copy',
    link: `${DOC}/github.com/otiai10/copy#Copy`,
    sinks: [{ exports: 'Copy', kind: 'path', args: [0, 1] }],
  },
];
