/** Signs of Java, which code of Kotlin calls too. */
const JAVA = new RegExp(
  String.raw`\b[rR]eq(?:uest)?\b|\b\w{0,40}Request\b|\bctx\b|\b[cC]ontext\b|\b(?:Routing|ServiceRequest)Context\b|` +
    String.raw`@(?:\w{1,40}\.)*(?:Request|Path|Query|Form|Header|Cookie|Matrix|Bean|Rest|Model|Body|Part|Get|Post|Put|Delete|Patch|GET|POST|PUT|DELETE|PATCH|Payload|Argument|Input|On|Message|Kafka|Rabbit|Jms|Sqs|Tool|McpTool|Dgs|GraphQL|Pulsar|Nats|Stream|Service|Select|Update|Insert|Destination|Session|Exchange|Binding|\w{1,20}Trigger)\w{0,24}\b|` +
    String.raw`\bgetParameter\w{0,9}\b|\bgetHeader|\bMultipartFile\b|\bFileItem\w{0,9}|\bPart\b|\bCookie\b|\b\w{1,40}Event\b|\bhandleRequest\b|` +
    String.raw`\bActionSupport\b|\b[sS]ocket\b|\baccept\(|\bDatagramPacket\b|\b\w{0,24}[eE]xchange\b|\b\w{0,24}Message\b|` +
    String.raw`\b(?:basicConsume|createDispatcher|addEventListener|Javalin|DefaultConsumer|JedisPubSub)\b|` +
    String.raw`\bConsumerRecord\b|\bDelivery\b|\bGetResponse\b|\bFacesContext\b|\bExternalContext\b|\bPageParameters\b|` +
    String.raw`\b\w{0,24}[eE]ntry\b|\bze\b|\b(?:uriInfo|UriInfo|uploadedFile|UploadedFile|getOriginalFilename)\b|` +
    String.raw`\b(?:ServerResource|QueryParameters|FormFile|(?:Local)?FileHeader|BodyPart|DataFetchingEnvironment|MessageExt|EventData|QueueMessageItem|KinesisClientRecord|WsMessageContext)\b|` +
    String.raw`\b(?:\w{0,24}FileUpload|FormData\w{0,24}|EntityPart|InputPart|RequestEntity|RequestHeader|FilePart|DynamicForm|FileBean|IHTTPSession|UploadFile|getPara|QueryStringDecoder)\b|` +
    String.raw`\b(?:KStream|JMSConsumer|MessageAttributeValue|EventContext|Mqtt[35]Publish|Payload|MessageView|ClientHandshake|StompHeaderAccessor|FTPFile|MimeBodyPart)\b|` +
    String.raw`\b(?:ZMQ|RTopic|processMessage|messageHandler|IntegrationFlow\w{0,24}|PageContext|UrlPathHelper|ServletUriComponentsBuilder|PathSegment)\b|\bRecord<|` +
    String.raw`\b(?:(?:Http)?URLConnection|openStream|ServletRequestUtils|WebUtils|ContainerRequestContext|SevenZFile|JarInputStream|Multipart(?:Form)?(?:Data)?Input)\b|` +
    String.raw`\b(?:Server(?:Web)?Socket|KafkaConsumer\w{0,9}|CompletedPart|ServletActionContext|\w{1,9}WebSocketFrame|ServiceBusReceivedMessageContext|BasicAcknowledgeablePubsubMessage)\b|` +
    String.raw`\b(?:FTPClient|DiskFileItem|ReceiveMessageResult|HttpHeaders|getCallbackQuery|onUpdateReceived|getPathInfo)\b|` +
    String.raw`\bget(?:QueryString|RequestParameterMap|PathParameters)\b`,
);

/** Signs of data from outside, by language; `script` is JavaScript and TypeScript. */
export const SOURCE_SIGNS = {
  script: new RegExp(
    String.raw`\breq(?:uest)?\b|\bctx\b|\bevent\b|\bsearchParams\b|\bformData\b|\bparams\b|\bquery\b|` +
      String.raw`@(?:Body|Query|Param|Headers|Req|Request|Args|Arg)\b`,
  ),
  py: new RegExp(
    String.raw`\brequest\b|\breq\.|\bRequest\b|\bself\.(?:path|headers|rfile|kwargs|get_\w*argument)|` +
      String.raw`\bget_(?:query_|body_)?arguments?\b|\b[wW]eb_?[sS]ocket\b|\bFieldStorage\b|\benviron\b|` +
      String.raw`\(\s{0,9}_?event\s{0,9},\s{0,9}_?context|\.recv\w{0,9}\(|\b(?:cleaned|validated)_data\b|` +
      String.raw`@\w{1,40}(?:\.\w{1,40}){0,3}\.(?:get|post|put|patch|delete|head|options|api_route|route|websocket)\s{0,9}\(|` +
      String.raw`@(?:\w{1,40}\.){0,3}(?:tool|function_tool|call_tool|resource|prompt)\b|` +
      String.raw`\.(?:GET|POST|FILES|COOKIES|META)\b|\bweb\.\w{1,20}\(|\badd_(?:get|post|put|route|view)\(|` +
      String.raw`\b(?:BaseHTTPRequestHandler|BaseRequestHandler|UploadFile|current_request|reqparse)\b|` +
      String.raw`\b(?:pika|(?:aio|confluent_)?kafka|pubsub\w{0,9}|zmq|receive_messages?|get_message|imaplib)\b|` +
      String.raw`\b(?:HttpRequest|ServiceBusMessage|QueueMessage|EventHubEvent)\b|` +
      String.raw`\b(?:streamlit|discord|telegram|aiogram|gradio|dash|slack_bolt|functions_framework|cloud_event)\b|` +
      String.raw`\b(?:aio_pika|nats|faststream|faust|websockets|(?:flask_)?socketio|basic_consume)\b|` +
      String.raw`\b(?:litestar|graphene|start_(?:unix_)?server|register_function|mutate\w{0,24}|resolve_\w{1,40})\b|` +
      String.raw`\b(?:data_classes|current_event|telebot|telethon|aiosmtpd|imap_tools|eventhub|aiomqtt)\b|` +
      String.raw`\b(?:WebSocketResponse|simple_websocket|zipfile|tarfile|wtforms|openai)\b|` +
      String.raw`\b(?:on_message|receive_json|request_iterator|(?:data|datagram|line)_?[rR]eceived)\b`,
  ),
  go: new RegExp(
    String.raw`\b[rR]eq(?:uest)?\b|\br\.|\bRequest\b|\b(?:gin|echo|iris|web)\.C|\bfiber\.Ctx\b|\bRequestCtx\b|` +
      String.raw`\b(?:c|ctx|gc|context|this|ps|params)\.[A-Z]|\bURLParam|\bmux\.Vars\b|` +
      String.raw`\bRead(?:Message|JSON|From)|\bNextReader\b|\bReceive\b|\bAccept(?:TCP)?\(|` +
      String.raw`\bevents\.|\b(?:zip|tar)\.|\b(?:hdr|zf|zip\w{1,9}|tar\w{1,9})\.Name\b|\bws\w{0,9}\.|` +
      String.raw`\b(?:RequestContext|revel\.Params|ConsumerMessage|amqp\d{0,4}\.(?:Delivery|Channel|Dial)|kafka\.(?:Reader|Message)|nats\.Msg)\b|` +
      String.raw`\b(?:pubsub|mqtt|nsq|message|pulsar)\.Message\b|\bkgo\.Record\b|\bazservicebus\.Received|\basynq\.Task\b|\bdiscordgo\.Message|\bResolveParams\b|\bSlashCommand|` +
      String.raw`\b(?:jetstream\.Msg|stomp\.Message|redis\.Message|work\.Job|azeventhubs\.Received\w{0,9}|event\.Event|slackevents|goproxy|dns\.(?:Msg|Question)|ssh\.Session)\b|` +
      String.raw`\b(?:tgbotapi|models)\.(?:Message|Update|CallbackQuery)\b|\bApplicationCommandInteraction|\bHandleMessage|\bOnEvent\(|\b(?:PushEvent|PullRequestEvent|IssuesEvent|IssueCommentEvent)\b|` +
      String.raw`\b(?:linebot|telego|openai|llms|anthropic|rueidis|azqueue|rmq|goka|stan|zmq4)\.|` +
      String.raw`\b(?:handler\.(?:HookEvent|FileInfo)|types\.(?:Record|Message)|broker\.Event|tg\.Message|MessageEventContent|InteractionCallback|BlockAction)\b|` +
      String.raw`\bhuma\.|\bAddTool\(|\bReceiveMessage\b|\.Messages\b`,
  ),
  cs: new RegExp(
    String.raw`\b[rR]equest\b|\bHttpContext\b|\b[cC]ontext\b|\b[cC]tx\b|\b\w{0,40}Request\w{0,9}\b|\bIFormFile\b|` +
      String.raw`\[(?:\w{1,40}\.)*(?:\w{1,20}Trigger|From|Supply|Http|Route|Bind|Function|AcceptVerbs|WebMethod|OperationContract)\w{0,24}\b|` +
      String.raw`\b\w{0,40}(?:Controller(?:Base)?|Hub|PageModel)\b|\bMap(?:Get|Post|Put|Delete|Patch|Methods|Fallback)?\s{0,9}\(|` +
      String.raw`\bQueryString\b|\bOn(?:Get|Post|Put|Delete)\w{0,24}\s{0,9}\(|\bZipArchive\w{0,9}\b|\b[eE]ntry\b|` +
      String.raw`\b\w{0,24}(?:Message|Socket|Stream|Listener)\b`,
  ),
  java: JAVA,
  kt: new RegExp(
    String.raw`${JAVA.source}|\bcall\b|\breceive\w{0,24}\b|\bparameters\b|\bqueryParameters\b|` +
      String.raw`\bintent\b|\bheaders\b|\breadText\s{0,9}\(|\bLens\b|\bincoming\b|\bmultipart\w{0,24}\b|\b(?:queryString|inputStream|originalFilename)\b`,
  ),
} as const;
