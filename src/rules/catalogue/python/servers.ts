import type { Package, SourceLine } from '../line.ts';

const STARLETTE = 'https://www.starlette.io/requests/';

/** A request of Starlette, and so of FastAPI. */
const starletteRequest: readonly SourceLine[] = [
  {
    exports: '*.query_params *.path_params *.headers *.cookies *.url',
    link: STARLETTE,
  },
  { exports: '*.json()', whole: true, link: STARLETTE },
  { exports: '*.body() *.form() *.stream()', link: STARLETTE },
  {
    exports: '*.receive_text() *.receive_bytes() *.iter_text() *.iter_bytes()',
    receivers: 'websocket ws',
    link: 'https://www.starlette.io/websockets/',
  },
  {
    exports: '*.receive_json() *.iter_json()',
    whole: true,
    receivers: 'websocket ws',
    link: 'https://www.starlette.io/websockets/',
  },
];

/** Where data from outside comes in: requests, sockets, events. */
export const pythonServers: readonly Package[] = [
  {
    package: 'flask',
    link: 'https://flask.palletsprojects.com/en/stable/api/#incoming-request-data',
    receivers: 'request',
    sources: [
      {
        exports:
          'request.args request.form request.values request.files request.headers request.cookies ' +
          'request.data request.path request.full_path request.url request.base_url ' +
          'request.query_string request.stream request.referrer request.user_agent request.view_args ' +
          'request.environ request.authorization',
      },
      { exports: 'request.json', whole: true },
      { exports: 'request.get_json()', whole: true },
      { exports: 'request.get_data()' },
    ],
  },
  {
    package: 'quart',
    link: 'https://quart.palletsprojects.com/en/latest/reference/source/quart.wrappers.html',
    sources: [
      {
        exports:
          'request.args request.form request.values request.files request.headers request.cookies ' +
          'request.data request.path request.view_args',
      },
      { exports: 'request.json', whole: true },
      { exports: 'request.get_json()', whole: true },
      { exports: 'request.get_data()' },
    ],
  },
  {
    package: 'django.http',
    link: 'https://docs.djangoproject.com/en/stable/ref/request-response/#httprequest-objects',
    receivers: 'request',
    sources: [
      {
        exports:
          '*.GET *.POST *.FILES *.COOKIES *.META *.body *.headers *.path *.path_info *.content_params',
      },
      { exports: '*.get_full_path() *.build_absolute_uri()' },
      {
        exports: '*.cleaned_data',
        receivers: 'form f self',
        link: 'https://docs.djangoproject.com/en/stable/ref/forms/api/#accessing-clean-data',
      },
      {
        exports: '*.kwargs',
        receivers: 'self',
        link: 'https://docs.djangoproject.com/en/stable/topics/class-based-views/generic-display/#dynamic-filtering',
      },
    ],
  },
  {
    package: 'rest_framework',
    link: 'https://www.django-rest-framework.org/api-guide/requests/',
    receivers: 'request',
    sources: [
      { exports: '*.data', whole: true },
      { exports: '*.query_params *.QUERY_PARAMS *.DATA' },
      {
        exports: '*.validated_data',
        receivers: 'serializer self ser s',
        link: 'https://www.django-rest-framework.org/api-guide/serializers/#validation',
      },
    ],
  },
  { package: 'fastapi', link: STARLETTE, receivers: 'request', sources: starletteRequest },
  { package: 'starlette', link: STARLETTE, receivers: 'request req', sources: starletteRequest },
  {
    package: 'fastapi.UploadFile',
    link: 'https://fastapi.tiangolo.com/reference/uploadfile/',
    sources: [{ exports: 'filename file headers content_type' }, { exports: 'read()' }],
  },
  {
    package: 'aiohttp.web',
    link: 'https://docs.aiohttp.org/en/stable/web_reference.html#aiohttp.web.BaseRequest',
    receivers: 'request req',
    sources: [
      {
        exports:
          '*.query *.match_info *.rel_url *.raw_path *.path_qs *.query_string *.headers *.cookies ' +
          '*.content *.path *.url',
      },
      { exports: '*.json()', whole: true },
      { exports: '*.text() *.read() *.post() *.multipart()' },
    ],
  },
  {
    package: 'sanic',
    link: 'https://sanic.dev/en/guide/basics/request.html',
    receivers: 'request',
    sources: [
      { exports: '*.args *.form *.files *.raw_args *.query_args *.body' },
      { exports: '*.json', whole: true },
    ],
  },
  {
    package: 'bottle',
    link: 'https://bottlepy.org/docs/dev/tutorial.html#request-data',
    sources: [
      {
        exports:
          'request.query request.forms request.params request.files request.headers ' +
          'request.cookies request.body request.url request.path',
      },
      { exports: 'request.json', whole: true },
      { exports: 'request.get_cookie() request.get_header()' },
    ],
  },
  {
    package: 'falcon',
    link: 'https://falcon.readthedocs.io/en/stable/api/request_and_response_wsgi.html',
    receivers: 'req',
    sources: [
      { exports: '*.params *.query_string *.stream *.bounded_stream *.headers *.cookies *.path' },
      { exports: '*.media', whole: true },
      { exports: '*.get_param() *.get_header() *.get_cookie_values()' },
      { exports: '*.get_media()', whole: true },
    ],
  },
  {
    package: 'tornado.web',
    link: 'https://www.tornadoweb.org/en/stable/web.html#input',
    receivers: 'self',
    sources: [
      {
        exports:
          '*.get_argument() *.get_arguments() *.get_query_argument() *.get_query_arguments() ' +
          '*.get_body_argument() *.get_body_arguments() *.get_cookie()',
      },
      { exports: '*.path_args *.path_kwargs', receivers: '' },
    ],
  },
  {
    package: 'tornado.httputil',
    link: 'https://www.tornadoweb.org/en/stable/httputil.html#tornado.httputil.HTTPServerRequest',
    receivers: 'request',
    sources: [{ exports: '*.arguments *.body_arguments *.query_arguments *.uri *.query *.body' }],
  },
  {
    package: 'pyramid.request',
    link: 'https://docs.pylonsproject.org/projects/pyramid/en/latest/api/request.html',
    receivers: 'request',
    sources: [
      { exports: '*.params *.matchdict *.POST *.GET *.cookies' },
      { exports: '*.json_body', whole: true },
    ],
  },
  {
    package: 'http.server',
    link: 'https://docs.python.org/3/library/http.server.html#http.server.BaseHTTPRequestHandler',
    sources: [{ exports: '*.path *.headers *.rfile *.requestline' }],
  },
  {
    package: 'socketserver',
    link: 'https://docs.python.org/3/library/socketserver.html#request-handler-objects',
    sources: [{ exports: '*.rfile' }, { exports: '*.recv()' }],
  },
  {
    package: 'cgi',
    link: 'https://docs.python.org/3.12/library/cgi.html#using-the-cgi-module',
    sources: [{ exports: 'FieldStorage() parse() parse_multipart()' }],
  },
  {
    package: 'socket',
    link: 'https://docs.python.org/3/library/socket.html#socket.socket.recv',
    receivers: 'sock socket conn client_socket',
    sources: [{ exports: '*.recv() *.recvfrom() *.recvmsg()' }],
  },
  {
    package: 'websockets',
    link: 'https://websockets.readthedocs.io/en/stable/reference/asyncio/server.html',
    receivers: 'websocket ws',
    sources: [{ exports: '*.recv()' }],
  },
];
