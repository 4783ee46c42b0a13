import type { Package } from '../line.ts';

const DOC = 'https://pkg.go.dev';
const WEBSOCKETS = 'conn ws wsConn websocket';

/** Where data from outside comes in: requests, sockets, events, and names in archives. */
export const golangServers: readonly Package[] = [
  {
    package: 'net/http',
    link: `${DOC}/net/http#Request`,
    receivers: 'r request',
    sources: [
      {
        exports:
          'Request.URL Request.Form Request.PostForm Request.MultipartForm Request.Header ' +
          'Request.Body Request.RequestURI Request.Trailer Request.Host',
      },
      {
        exports:
          'Request.FormValue() Request.PostFormValue() Request.PathValue() Request.Cookie() ' +
          'Request.Cookies() Request.CookiesNamed() Request.UserAgent() Request.Referer() ' +
          'Request.FormFile() Request.BasicAuth() Request.MultipartReader()',
      },
    ],
  },
  {
    package: 'github.com/gin-gonic/gin',
    link: `${DOC}/github.com/gin-gonic/gin#Context`,
    receivers: 'c ctx context gc',
    sources: [
      {
        exports:
          'Context.Param() Context.Query() Context.DefaultQuery() Context.GetQuery() ' +
          'Context.QueryArray() Context.QueryMap() Context.GetQueryArray() Context.GetQueryMap() ' +
          'Context.PostForm() Context.DefaultPostForm() Context.GetPostForm() ' +
          'Context.PostFormArray() Context.PostFormMap() Context.GetHeader() Context.Cookie() ' +
          'Context.GetRawData() Context.FormFile() Context.MultipartForm()',
      },
      { exports: 'Context.Params' },
      {
        exports:
          'Context.Bind() Context.BindJSON() Context.BindXML() Context.BindYAML() ' +
          'Context.BindTOML() Context.BindQuery() Context.BindUri() Context.BindHeader() ' +
          'Context.ShouldBind() Context.ShouldBindJSON() Context.ShouldBindXML() ' +
          'Context.ShouldBindYAML() Context.ShouldBindTOML() Context.ShouldBindQuery() ' +
          'Context.ShouldBindUri() Context.ShouldBindHeader() Context.ShouldBindWith() ' +
          'Context.ShouldBindBodyWith() Context.MustBindWith()',
        whole: true,
        into: 0,
      },
    ],
  },
  {
    package: 'github.com/labstack/echo',
    link: `${DOC}/github.com/labstack/echo/v4#Context`,
    receivers: 'c ctx context',
    sources: [
      {
        exports:
          'Context.QueryParam() Context.Param() Context.FormValue() Context.QueryString() ' +
          'Context.QueryParams() Context.FormParams() Context.ParamValues() Context.Cookie() ' +
          'Context.Cookies() Context.FormFile() Context.MultipartForm()',
      },
      { exports: 'Context.Bind()', whole: true, into: 0 },
    ],
  },
  {
    package: 'github.com/go-chi/chi',
    link: `${DOC}/github.com/go-chi/chi/v5#URLParam`,
    sources: [{ exports: 'URLParam() URLParamFromCtx()' }],
  },
  {
    package: 'github.com/gorilla/mux',
    link: `${DOC}/github.com/gorilla/mux#Vars`,
    sources: [{ exports: 'Vars()' }],
  },
  {
    package: 'github.com/gofiber/fiber',
    link: `${DOC}/github.com/gofiber/fiber/v2#Ctx`,
    receivers: 'c ctx',
    sources: [
      {
        exports:
          'Ctx.Params() Ctx.Query() Ctx.FormValue() Ctx.Body() Ctx.BodyRaw() Ctx.Cookies() ' +
          'Ctx.Queries() Ctx.OriginalURL() Ctx.FormFile() Ctx.MultipartForm() Ctx.AllParams()',
      },
      { exports: 'Ctx.Get() Ctx.Path() Ctx.Hostname() Ctx.GetReqHeaders()', receivers: '' },
      {
        exports:
          'Ctx.BodyParser() Ctx.QueryParser() Ctx.ParamsParser() Ctx.ReqHeaderParser() ' +
          'Ctx.CookieParser() Ctx.Bind.Body() Ctx.Bind.Query() Ctx.Bind.URI() Ctx.Bind.JSON() ' +
          'Ctx.Bind.Form() Ctx.Bind.Header() Ctx.Bind.Cookie()',
        whole: true,
        into: 0,
      },
    ],
  },
  {
    package: 'github.com/julienschmidt/httprouter',
    link: `${DOC}/github.com/julienschmidt/httprouter#Params.ByName`,
    receivers: 'ps params',
    sources: [{ exports: 'Params.ByName() ParamsFromContext.ByName()' }],
  },
  {
    package: 'github.com/kataras/iris',
    link: `${DOC}/github.com/kataras/iris/v12/context#Context`,
    receivers: 'ctx',
    sources: [
      {
        exports:
          'Context.URLParam() Context.URLParams() Context.URLParamDefault() Context.FormValue() ' +
          'Context.FormValues() Context.PostValue() Context.GetHeader() Context.GetCookie() ' +
          'Context.GetBody() Context.FormFile()',
      },
      { exports: 'Context.Params()', receivers: '' },
      {
        exports: 'Context.ReadJSON() Context.ReadForm() Context.ReadQuery() Context.ReadBody()',
        whole: true,
        into: 0,
      },
    ],
  },
  {
    package: 'github.com/beego/beego/server/web',
    link: `${DOC}/github.com/beego/beego/v2/server/web#Controller`,
    receivers: 'this',
    sources: [
      {
        exports:
          'Controller.GetString() Controller.GetStrings() Controller.Input() Controller.GetFile()',
      },
    ],
  },
  {
    package: 'github.com/valyala/fasthttp',
    link: `${DOC}/github.com/valyala/fasthttp#RequestCtx`,
    receivers: 'ctx',
    sources: [
      {
        exports:
          'RequestCtx.QueryArgs() RequestCtx.PostArgs() RequestCtx.PostBody() ' +
          'RequestCtx.FormValue() RequestCtx.UserValue() RequestCtx.RequestURI() ' +
          'RequestCtx.Path() RequestCtx.Referer() RequestCtx.UserAgent() RequestCtx.FormFile()',
      },
    ],
  },
  {
    package: 'github.com/emicklei/go-restful',
    link: `${DOC}/github.com/emicklei/go-restful/v3#Request`,
    receivers: 'request req',
    sources: [
      {
        exports:
          'Request.PathParameter() Request.PathParameters() Request.QueryParameter() ' +
          'Request.QueryParameters() Request.HeaderParameter() Request.BodyParameter()',
      },
      { exports: 'Request.ReadEntity()', whole: true, into: 0 },
    ],
  },
  {
    package: 'github.com/gorilla/websocket',
    link: `${DOC}/github.com/gorilla/websocket#Conn.ReadMessage`,
    receivers: WEBSOCKETS,
    sources: [
      { exports: '*.ReadMessage() *.NextReader()' },
      { exports: '*.ReadJSON()', whole: true, into: 0 },
    ],
  },
  {
    package: 'github.com/coder/websocket',
    link: `${DOC}/github.com/coder/websocket#Conn.Read`,
    sources: [{ exports: 'Accept.Read() Conn.Read() Accept.Reader() Conn.Reader()' }],
  },
  {
    package: 'golang.org/x/net/websocket',
    link: `${DOC}/golang.org/x/net/websocket#Codec.Receive`,
    sources: [{ exports: 'Message.Receive() JSON.Receive()', whole: true, into: 1 }],
  },
  {
    package: 'github.com/aws/aws-lambda-go/events',
    link: `${DOC}/github.com/aws/aws-lambda-go/events#APIGatewayProxyRequest`,
    sources: [
      {
        exports:
          'APIGatewayProxyRequest.Body APIGatewayProxyRequest.QueryStringParameters ' +
          'APIGatewayProxyRequest.PathParameters APIGatewayProxyRequest.Headers ' +
          'APIGatewayProxyRequest.MultiValueQueryStringParameters APIGatewayProxyRequest.Path ' +
          'APIGatewayV2HTTPRequest.Body APIGatewayV2HTTPRequest.QueryStringParameters ' +
          'APIGatewayV2HTTPRequest.PathParameters APIGatewayV2HTTPRequest.Headers ' +
          'APIGatewayV2HTTPRequest.RawPath APIGatewayV2HTTPRequest.RawQueryString ' +
          'LambdaFunctionURLRequest.Body LambdaFunctionURLRequest.QueryStringParameters ' +
          'ALBTargetGroupRequest.Body ALBTargetGroupRequest.QueryStringParameters',
      },
    ],
  },
  {
    package: 'net',
    link: `${DOC}/net#Listener`,
    sources: [
      { exports: 'Listen.Accept() Listener.Accept() ListenTCP.AcceptTCP() ListenTCP.Accept()' },
      { exports: 'ListenPacket.ReadFrom() ListenUDP.ReadFromUDP() ListenUDP.Read()', into: 0 },
    ],
  },
  {
    package: 'archive/zip',
    link: `${DOC}/archive/zip#FileHeader`,
    receivers: 'zf zipFile zipEntry',
    sources: [
      {
        exports:
          'OpenReader.File.Name NewReader.File.Name ReadCloser.File.Name Reader.File.Name ' +
          'File.Name FileHeader.Name File.FileHeader.Name',
      },
    ],
  },
  {
    package: 'archive/tar',
    link: `${DOC}/archive/tar#Header`,
    receivers: 'hdr tarHeader',
    sources: [
      {
        exports:
          'NewReader.Next.Name NewReader.Next.Linkname Reader.Next.Name Reader.Next.Linkname ' +
          'Header.Name Header.Linkname',
      },
    ],
  },
];
