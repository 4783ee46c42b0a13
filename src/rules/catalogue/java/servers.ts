import type { Package } from '../line.ts';

const SPRING =
  'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework';
const REQUESTS = 'request req httpRequest servletRequest httpServletRequest';

/** Where data from outside comes in: requests, sockets, events, and names in archives. */
export const javaServers: readonly Package[] = [
  {
    package: 'jakarta.servlet.http',
    types: 'HttpServletRequest HttpServletRequestWrapper',
    link: 'https://jakarta.ee/specifications/servlet/6.0/',
    receivers: REQUESTS,
    sources: [
      {
        exports:
          '*.getParameter() *.getParameterValues() *.getParameterMap() *.getQueryString() ' +
          '*.getParameterNames()',
      },
      { exports: '*.getHeader() *.getHeaders() *.getCookies() *.getHeaderNames()' },
      { exports: '*.getReader() *.getInputStream()' },
      { exports: '*.getRequestURI() *.getRequestURL() *.getPathInfo() *.getPathTranslated()' },
      { exports: '*.getPart() *.getParts()' },
      {
        exports: 'Part.getSubmittedFileName() Part.getInputStream() Cookie.getValue()',
        receivers: 'part filePart cookie',
      },
    ],
  },
  {
    package: 'jakarta.servlet',
    link: 'https://jakarta.ee/specifications/servlet/6.0/',
    sources: [
      {
        exports:
          'ServletRequest.getParameter() ServletRequest.getParameterValues() ' +
          'ServletRequest.getParameterMap() ServletRequest.getReader() ' +
          'ServletRequest.getInputStream()',
      },
    ],
  },
  {
    package: 'org.springframework.web.bind.annotation',
    link: `${SPRING}/web/bind/annotation/package-summary.html`,
    sources: [
      { exports: 'RequestParam RequestPart ModelAttribute', decorator: true },
      { exports: 'PathVariable MatrixVariable', decorator: true },
      { exports: 'RequestBody', decorator: true },
      { exports: 'RequestHeader CookieValue', decorator: true },
    ],
  },
  {
    package: 'org.springframework.messaging.handler.annotation',
    link: `${SPRING}/messaging/handler/annotation/Payload.html`,
    sources: [{ exports: 'Payload DestinationVariable', decorator: true }],
  },
  {
    package: 'org.springframework.graphql.data.method.annotation',
    link: 'https://docs.spring.io/spring-graphql/reference/controllers.html',
    sources: [{ exports: 'Argument', decorator: true }],
  },
  {
    package: 'org.springframework.web.multipart',
    link: `${SPRING}/web/multipart/MultipartFile.html`,
    receivers: 'multipartFile upload',
    sources: [
      { exports: 'MultipartFile.getOriginalFilename()', receivers: 'multipartFile upload file' },
      { exports: 'MultipartFile.getBytes() MultipartFile.getInputStream()' },
    ],
  },
  {
    package: 'org.springframework.web.context.request',
    link: `${SPRING}/web/context/request/WebRequest.html`,
    sources: [
      {
        exports:
          'WebRequest.getParameter() WebRequest.getParameterValues() WebRequest.getHeader() ' +
          'NativeWebRequest.getParameter() NativeWebRequest.getHeader()',
      },
    ],
  },
  {
    package: 'org.springframework.web.reactive.function.server',
    link: `${SPRING}/web/reactive/function/server/ServerRequest.html`,
    receivers: 'serverRequest request req',
    sources: [
      {
        exports:
          'ServerRequest.queryParam() ServerRequest.queryParams() ServerRequest.pathVariable() ' +
          'ServerRequest.pathVariables()',
      },
      {
        exports: 'ServerRequest.bodyToMono() ServerRequest.bodyToFlux() ServerRequest.formData()',
        whole: true,
      },
    ],
  },
  {
    package: 'org.springframework.http.server.reactive',
    link: `${SPRING}/http/server/reactive/ServerHttpRequest.html`,
    sources: [
      { exports: 'ServerHttpRequest.getQueryParams() ServerHttpRequest.getURI()' },
      { exports: 'ServerHttpRequest.getHeaders() ServerHttpRequest.getCookies()' },
    ],
  },
  {
    package: 'org.springframework.http.codec.multipart',
    link: `${SPRING}/http/codec/multipart/FilePart.html`,
    receivers: 'filePart',
    sources: [{ exports: 'FilePart.filename()' }],
  },
  {
    package: 'jakarta.ws.rs',
    link: 'https://jakarta.ee/specifications/restful-ws/3.1/',
    sources: [
      { exports: 'QueryParam MatrixParam', decorator: true },
      { exports: 'PathParam', decorator: true },
      { exports: 'FormParam BeanParam', decorator: true },
      { exports: 'HeaderParam CookieParam', decorator: true },
    ],
  },
  {
    package: 'jakarta.ws.rs.core',
    link: 'https://jakarta.ee/specifications/restful-ws/3.1/',
    receivers: 'uriInfo httpHeaders',
    sources: [
      {
        exports:
          'UriInfo.getQueryParameters() UriInfo.getPathParameters() UriInfo.getPath() ' +
          'UriInfo.getRequestUri()',
      },
      { exports: 'HttpHeaders.getHeaderString() HttpHeaders.getRequestHeader()' },
    ],
  },
  {
    package: 'io.micronaut.http.annotation',
    link: 'https://docs.micronaut.io/latest/guide/#binding',
    sources: [
      { exports: 'QueryValue PathVariable', decorator: true },
      { exports: 'Body Part RequestBean', decorator: true },
      { exports: 'Header CookieValue', decorator: true },
    ],
  },
  {
    package: 'io.micronaut.http',
    link: 'https://docs.micronaut.io/latest/guide/#requestResponse',
    sources: [
      { exports: 'HttpRequest.getParameters() HttpRequest.getBody() HttpRequest.getUri()' },
    ],
  },
  {
    package: 'org.jboss.resteasy.reactive',
    link: 'https://quarkus.io/guides/rest',
    sources: [
      { exports: 'RestQuery RestForm RestPath', decorator: true },
      { exports: 'RestHeader RestCookie', decorator: true },
    ],
  },
  {
    package: 'org.apache.struts2',
    link: 'https://struts.apache.org/core-developers/',
    sources: [{ exports: 'ServletActionContext.getRequest.getParameter()' }],
  },
  {
    package: 'io.vertx.ext.web',
    link: 'https://vertx.io/docs/vertx-web/java/',
    receivers: 'ctx context rc routingContext',
    sources: [
      {
        exports:
          'RoutingContext.pathParam() RoutingContext.pathParams() RoutingContext.queryParam() ' +
          'RoutingContext.queryParams()',
      },
      {
        exports:
          'RoutingContext.getBodyAsString() RoutingContext.getBodyAsJson() ' +
          'RoutingContext.getBody() RoutingContext.body()',
        whole: true,
      },
      { exports: 'RoutingContext.getCookie()' },
      {
        exports:
          'RoutingContext.request.getParam() RoutingContext.request.getHeader() ' +
          'RoutingContext.request.params() RoutingContext.request.path() ' +
          'RoutingContext.request.getFormAttribute()',
        receivers: '',
      },
    ],
  },
  {
    package: 'io.vertx.core.http',
    link: 'https://vertx.io/docs/vertx-core/java/#_handling_requests',
    receivers: REQUESTS,
    sources: [
      {
        exports:
          'HttpServerRequest.getParam() HttpServerRequest.getFormAttribute() ' +
          'HttpServerRequest.params() HttpServerRequest.formAttributes()',
      },
    ],
  },
  {
    package: 'play.mvc',
    link: 'https://www.playframework.com/documentation/latest/JavaActions',
    sources: [
      {
        exports:
          'Http.Request.getQueryString() Http.Request.queryString() Http.Request.header() ' +
          'Http.Request.cookie() Http.Request.uri() Http.Request.path()',
      },
      { exports: 'Http.Request.body()', whole: true },
    ],
  },
  {
    package: 'io.javalin.http',
    link: 'https://javalin.io/documentation#context',
    receivers: 'ctx',
    sources: [
      {
        exports:
          'Context.pathParam() Context.pathParamMap() Context.queryParam() ' +
          'Context.queryParams() Context.queryParamMap() Context.queryString()',
      },
      {
        exports:
          'Context.formParam() Context.formParams() Context.formParamMap() Context.body() ' +
          'Context.bodyAsBytes() Context.bodyInputStream() Context.bodyAsClass()',
      },
      { exports: 'Context.header() Context.cookie()', receivers: '' },
      { exports: 'UploadedFile.filename() UploadedFile.content()', receivers: 'uploadedFile' },
    ],
  },
  {
    package: 'spark',
    link: 'https://sparkjava.com/documentation#request',
    receivers: 'request req',
    sources: [
      {
        exports:
          'Request.params() Request.queryParams() Request.queryParamsValues() Request.splat() ' +
          'Request.queryString() Request.queryParamOrDefault()',
      },
      { exports: 'Request.body() Request.bodyAsBytes() Request.headers() Request.cookie()' },
    ],
  },
  {
    package: 'ratpack.handling',
    link: 'https://ratpack.io/manual/current/api/ratpack/handling/Context.html',
    receivers: 'ctx context',
    sources: [
      { exports: 'Context.getPathTokens() Context.parse()' },
      {
        exports:
          'Context.getRequest.getQueryParams() Context.getRequest.getBody() ' +
          'Context.getRequest.getHeaders() Context.getRequest.getPath()',
        receivers: '',
      },
    ],
  },
  {
    package: 'com.amazonaws.services.lambda.runtime.events',
    link: 'https://docs.aws.amazon.com/lambda/latest/dg/java-handler.html',
    sources: [
      {
        exports:
          'APIGatewayProxyRequestEvent.getBody() APIGatewayProxyRequestEvent.getHeaders() ' +
          'APIGatewayProxyRequestEvent.getQueryStringParameters() ' +
          'APIGatewayProxyRequestEvent.getPathParameters() APIGatewayProxyRequestEvent.getPath() ' +
          'APIGatewayV2HTTPEvent.getBody() APIGatewayV2HTTPEvent.getHeaders() ' +
          'APIGatewayV2HTTPEvent.getQueryStringParameters() ' +
          'APIGatewayV2HTTPEvent.getPathParameters() APIGatewayV2HTTPEvent.getRawPath()',
      },
      { exports: 'SQSEvent.SQSMessage.getBody() SNSEvent.SNS.getMessage()' },
    ],
  },
  {
    package: 'jakarta.websocket.server',
    link: 'https://jakarta.ee/specifications/websocket/2.1/',
    sources: [{ exports: 'PathParam', decorator: true }],
  },
  {
    package: 'jakarta.jms',
    link: 'https://jakarta.ee/specifications/messaging/3.1/',
    sources: [{ exports: 'TextMessage.getText() ObjectMessage.getObject()' }],
  },
  {
    package: 'java.net',
    link: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/net/Socket.html',
    sources: [
      { exports: 'ServerSocket.accept.getInputStream() Socket.getInputStream()' },
      { exports: 'DatagramPacket.getData()' },
    ],
  },
  {
    package: 'com.sun.net.httpserver',
    link: 'https://docs.oracle.com/en/java/javase/21/docs/api/jdk.httpserver/module-summary.html',
    receivers: 'exchange httpExchange',
    sources: [
      {
        exports:
          'HttpExchange.getRequestURI() HttpExchange.getRequestBody() ' +
          'HttpExchange.getRequestHeaders()',
      },
    ],
  },
  {
    package: 'io.undertow.server',
    link: 'https://undertow.io/undertow-docs/undertow-docs-2.1.0/index.html',
    sources: [
      {
        exports:
          'HttpServerExchange.getQueryParameters() HttpServerExchange.getRequestPath() ' +
          'HttpServerExchange.getRelativePath() HttpServerExchange.getRequestHeaders() ' +
          'HttpServerExchange.getPathParameters() HttpServerExchange.getInputStream()',
      },
    ],
  },
  {
    package: 'org.apache.commons.fileupload',
    link: 'https://commons.apache.org/proper/commons-fileupload/',
    receivers: 'fileItem',
    sources: [{ exports: 'FileItem.getName() FileItem.getString() FileItem.getInputStream()' }],
  },
  {
    package: 'com.oreilly.servlet',
    link: 'https://central.sonatype.com/artifact/servlets.com/cos',
    sources: [
      { exports: 'MultipartRequest.getParameter() MultipartRequest.getOriginalFileName()' },
    ],
  },
  {
    package: 'java.util.zip',
    types: 'ZipEntry ZipInputStream',
    link: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/zip/ZipEntry.html',
    receivers: 'zipEntry ze',
    sources: [{ exports: '*.getName()', receivers: 'zipEntry' }],
  },
  {
    package: 'java.util.jar',
    link: 'https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/util/jar/JarEntry.html',
    sources: [{ exports: 'JarEntry.getName() JarInputStream.getNextJarEntry.getName()' }],
  },
  {
    package: 'org.apache.commons.compress.archivers',
    types: 'ArchiveEntry ArchiveInputStream',
    link: 'https://commons.apache.org/proper/commons-compress/examples.html',
    sources: [{ exports: '*.getName()' }],
  },
  {
    package: 'org.apache.commons.compress.archivers.tar',
    types: 'TarArchiveEntry TarArchiveInputStream',
    link: 'https://commons.apache.org/proper/commons-compress/examples.html',
    sources: [{ exports: '*.getName()' }],
  },
  {
    package: 'org.apache.commons.compress.archivers.zip',
    types: 'ZipArchiveEntry ZipArchiveInputStream',
    link: 'https://commons.apache.org/proper/commons-compress/examples.html',
    sources: [{ exports: '*.getName()' }],
  },
];
