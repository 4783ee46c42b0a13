import type { Package } from '../line.ts';

const JDK = 'https://docs.oracle.com/en/java/javase/21/docs/api';
const SPRING =
  'https://docs.spring.io/spring-framework/docs/current/javadoc-api/org/springframework';
const METHODS = 'HttpGet HttpPost HttpPut HttpDelete HttpPatch HttpHead HttpOptions';
const FLUENT = 'Request.Get Request.Post Request.Put Request.Delete Request.Head';

/** What sends requests to addresses, and opens connections to hosts. */
export const javaClients: readonly Package[] = [
  {
    package: 'java.net',
    link: `${JDK}/java.base/java/net/URL.html`,
    sources: [
      {
        exports:
          'URL.openConnection.getInputStream() URLConnection.getInputStream() URL.openStream() ' +
          'HttpURLConnection.getInputStream()',
      },
    ],
    sinks: [
      {
        exports: '*.openConnection *.openStream',
        kind: 'request',
        args: [-1],
        receivers: 'url',
      },
      { exports: '*.getContent', kind: 'request', args: [-1] },
      { exports: 'Socket', kind: 'host', link: `${JDK}/java.base/java/net/Socket.html` },
      { exports: 'InetSocketAddress', kind: 'host' },
    ],
  },
  {
    package: 'java.net.http',
    link: `${JDK}/java.net.http/java/net/http/HttpRequest.html`,
    sinks: [
      { exports: 'HttpRequest.newBuilder HttpRequest.newBuilder.uri', kind: 'request' },
      { exports: 'HttpRequest.Builder.uri', kind: 'request' },
    ],
  },
  {
    package: 'org.apache.http.client.methods',
    link: 'https://hc.apache.org/httpcomponents-client-4.5.x/',
    sinks: [
      { exports: METHODS, kind: 'request' },
      {
        exports: 'HttpGet.setURI HttpPost.setURI RequestBuilder.get RequestBuilder.post *.setUri',
        kind: 'request',
      },
    ],
  },
  {
    package: 'org.apache.http.client.fluent',
    link: 'https://hc.apache.org/httpcomponents-client-4.5.x/',
    sinks: [{ exports: FLUENT, kind: 'request' }],
  },
  {
    package: 'org.apache.hc.client5.http.classic.methods',
    link: 'https://hc.apache.org/httpcomponents-client-5.x/',
    sinks: [
      { exports: METHODS, kind: 'request' },
      { exports: 'ClassicRequestBuilder.get ClassicRequestBuilder.post', kind: 'request' },
    ],
  },
  {
    package: 'org.apache.hc.client5.http.fluent',
    link: 'https://hc.apache.org/httpcomponents-client-5.x/',
    sinks: [{ exports: 'Request.get Request.post Request.put Request.delete', kind: 'request' }],
  },
  {
    package: 'org.apache.hc.core5.http.io.support',
    link: 'https://hc.apache.org/httpcomponents-core-5.2.x/',
    sinks: [{ exports: 'ClassicRequestBuilder.get ClassicRequestBuilder.post', kind: 'request' }],
  },
  {
    package: 'org.apache.commons.httpclient.methods',
    link: 'https://hc.apache.org/httpclient-legacy/',
    sinks: [{ exports: 'GetMethod PostMethod', kind: 'request' }],
  },
  {
    package: 'okhttp3',
    link: 'https://square.github.io/okhttp/',
    sinks: [{ exports: 'Request.Builder.url', kind: 'request' }],
  },
  {
    package: 'retrofit2',
    link: 'https://square.github.io/retrofit/',
    sinks: [{ exports: 'Retrofit.Builder.baseUrl', kind: 'request' }],
  },
  {
    package: 'org.springframework.web.client',
    link: `${SPRING}/web/client/RestTemplate.html`,
    receivers: 'restTemplate',
    sinks: [
      {
        exports:
          'RestTemplate.getForObject RestTemplate.getForEntity RestTemplate.postForObject ' +
          'RestTemplate.postForEntity RestTemplate.postForLocation RestTemplate.put ' +
          'RestTemplate.delete RestTemplate.patchForObject RestTemplate.headForHeaders',
        kind: 'request',
      },
      { exports: 'RestTemplate.exchange RestTemplate.execute', kind: 'request' },
      {
        exports: 'RestClient.create RestClient.builder.baseUrl *.uri',
        kind: 'request',
        receivers: 'restClient',
      },
    ],
  },
  {
    package: 'org.springframework.web.reactive.function.client',
    link: `${SPRING}/web/reactive/function/client/WebClient.html`,
    receivers: 'webClient',
    sinks: [
      { exports: 'WebClient.create WebClient.builder.baseUrl *.baseUrl', kind: 'request' },
      { exports: '*.uri', kind: 'request' },
    ],
  },
  {
    package: 'org.springframework.core.io',
    link: `${SPRING}/core/io/UrlResource.html`,
    sinks: [{ exports: 'UrlResource', kind: 'request' }],
  },
  {
    package: 'org.jsoup',
    link: 'https://jsoup.org/apidocs/org/jsoup/Jsoup.html',
    sinks: [{ exports: 'Jsoup.connect', kind: 'request' }],
  },
  {
    package: 'feign',
    link: 'https://github.com/OpenFeign/feign',
    sinks: [{ exports: 'Feign.builder.target *.target', kind: 'request', args: [1] }],
  },
  {
    package: 'kong.unirest',
    link: 'https://kong.github.io/unirest-java/',
    sinks: [{ exports: 'Unirest.get Unirest.post Unirest.put Unirest.delete', kind: 'request' }],
  },
  {
    package: 'jakarta.ws.rs.client',
    types: 'Client ClientBuilder',
    link: 'https://jakarta.ee/specifications/restful-ws/3.1/',
    sinks: [{ exports: '*.target', kind: 'request' }],
  },
  {
    package: 'org.asynchttpclient',
    types: 'AsyncHttpClient',
    link: 'https://github.com/AsyncHttpClient/async-http-client',
    receivers: 'asyncHttpClient',
    sinks: [{ exports: '*.prepareGet *.preparePost *.prepareConnect', kind: 'request' }],
  },
  {
    package: 'io.vertx.ext.web.client',
    link: 'https://vertx.io/docs/vertx-web-client/java/',
    sinks: [
      { exports: 'WebClient.getAbs WebClient.postAbs WebClient.requestAbs', kind: 'request' },
    ],
  },
  {
    package: 'cn.hutool.http',
    link: 'https://hutool.cn/docs/',
    sinks: [
      { exports: 'HttpUtil.get HttpUtil.post HttpRequest.get HttpRequest.post', kind: 'request' },
    ],
  },
  {
    package: 'org.apache.commons.io',
    link: 'https://commons.apache.org/proper/commons-io/',
    sinks: [
      { exports: 'FileUtils.copyURLToFile', kind: 'request' },
      { exports: 'IOUtils.toByteArray IOUtils.toString', kind: 'request' },
    ],
  },
  {
    package: 'javax.imageio',
    link: `${JDK}/java.desktop/javax/imageio/ImageIO.html`,
    sinks: [{ exports: 'ImageIO.read', kind: 'request' }],
  },
  {
    package: 'java.sql',
    link: `${JDK}/java.sql/java/sql/DriverManager.html`,
    sinks: [{ exports: 'DriverManager.getConnection', kind: 'host' }],
  },
];
