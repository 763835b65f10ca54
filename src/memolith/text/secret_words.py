"""The words that tell a secret from what is none: what it is called, what stands in for it, whose it is."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(text.split())


# First letter and what may follow it, of the pairs of letters that are common in English words and in names
# made of them: about 85 % of the pairs in such words are among these, and 31 % of those in random letters.
WORD_PAIRS = words("""
    aabcdgiklmnprstuy babceilorsu cacehiklortu dadeilorsu eacdefglmnpqrstvwx faefiloru gehirs haeio
    iabcdefglmnoprstvz kei ladeilostuy maeiopsu nacdefgiostu obcdlmnoprstuvw paeiloprsty qu
    racdegilmnorstuy sacehilopstu tacehilorstuy ubceilmnprst vaei waei xt yp ze
""")
# A value stands for one that is somewhere else if it is one of these words, or begins with one and a sign.
STAND_INS = words("""
    your example sample dummy fake mock changeme change replace insert enter put paste redacted removed
    masked hidden placeholder none null nil true false undefined todo tbd required optional string str
    int bool bytes char self os env process config args settings secret secrets credential credentials
    username user password passwd passphrase pass pwd token key apikey value foo bar baz empty default
    stored generated kept vault op arn ssm sm keyring keychain bw doppler kms ref sops awskms http https
    s3 gs projects kv data etc home usr var tmp run opt mnt app src lib dist file argon2 argon2id
    argon2i argon2d bcrypt scrypt scram pbkdf2 sha1 sha256 sha384 sha512 sha md5 hs256 hs512 rs256 es256 aes
    aes128 aes256 base64 oauth oauth2 utf8 x509 ed25519 http2 http3 ipv4 ipv6 1password k8s i18n arm64
    amd64
""")
# The same for what could begin a password too, unless there is a digit in it.
SMALL_WORDS = words("""
    my the a an some any this our their yes no on off test testing not see via in from with for by to as
    is it
""")
# What is said of a password, or assigned to one in code, where a value could stand.
SAID = words("""
    invalid wrong correct incorrect missing needed mandatory disabled enabled unset protected plain
    plaintext weak strong short valid invalidated rejected accepted changed unchanged updated rotated
    deleted withheld omitted private public shared confidential secure insecure available unavailable
    provided random randomized temporary permanent unique above below here there later pending nothing
    anything something prompt prompted manual manually email login encrypted unencrypted hashed salted
    expired expires minimum maximum length unknown forgotten forgot blank same different varchar text number
    integer float double boolean object array list dict type schema field column secretstr input result
    param params body line word words digest salt buffer payload response request item entry options
    opts other current previous next cleaned decoded encoded decrypted obfuscated stdin environ environment
    choose never always often again twice once check reset recovery policy rules basics instructions
    details notes note issues issue problem problems login logins unsafe cached saved remembered supported
    unsupported allowed forbidden denied locked unlocked active inactive unused legacy deprecated internal
    external local remote personal anonymous everyone nobody someone myself yourself elsewhere somewhere
    inherit inherited nullable sensitive readonly write-only interactive interactively confirmed verified
    unverified compromised leaked breached reused resetting pass-through literal variable constant
""")
# Near the word for a key they say that people type it in.
WIFI = ("wifi", "wi-fi", "wlan", "wpa", "wep", "ssid", "hotspot", "무선", "无线", "無線")
# Who logs in, where nothing else says that a password follows.
ACCOUNTS = ("admin", "root", "sa", "postgres", "guest", "test", "user")
# What is said of an option, behind its name.
OPTIONS = words("""
    flag flags option options parameter argument arguments switch prompt prompts interactively file and
    or with for instead then when which that means takes because otherwise via
""")
# What the names of files and hosts end in.
ENDINGS = words("""
    yaml yml json toml py ts tsx js jsx mjs go rs md txt env cfg ini conf sh java rb php pem key crt cer
    htm html css xml csv sql lock log tgz gz zip png jpg jpeg gif svg pdf com org net io dev local
    internal invalid
""")
# What may be glued in front of a short word: `apikey`, `dbpass`.
GLUED = (
    *(
        "api",
        "app",
        "access",
        "secret",
        "private",
        "auth",
        "account",
        "shared",
        "master",
        "consumer",
        "client",
    ),
    *("signing", "encryption", "admin", "db", "root", "user", "service", "license", "deploy", "storage"),
    *("session", "web", "bot", "pem", "ssh", "my", "sql", "mail", "smtp", "ftp"),
)
# Words before `key` or `token` that make it the name of something else.
OTHER_KEYS = words("""
    primary foreign cache public pub idempotency partition sort row object s3 routing dedup composite
    unique lookup natural surrogate hot map dict json correlation arrow hash join group index shard
    config tab enter escape registry translation i18n metric issue project shortcut modifier react list
    next previous page pagination continuation cursor sync max min new stop eos bos pad special input
    output prompt completion total reserved csrf xsrf host the a each every one any sub keyboard
    function return space delete backspace second third wrong right super meta ctrl alt shift option
    command menu home end turn major minor low piano music car house spare door not
""")
# What a random value is called that is no secret.
PUBLIC = words("""
    sha sha1 sha224 sha256 sha384 sha512 md5 hash hashes digest checksum integrity commit commits etag
    fingerprint public pub pubkey address addr wallet tx txid id ids cid uid guid image cursor uuid ulid
    revision rev blob tree session trace span request build version h1 document doc file folder video
    playlist channel object base64 nonce rsa dss ed25519 nistp256 nistp384 nistp521
""")
# What the beginning of a token says of itself: `acme_live_…`.
HINTS = words("""
    sk pk rk ak pat tok tkn key api secret sec live prod test token auth access priv private
""")
# Well-known services: right behind a name of one, a random value is most likely its key. Only names that mean
# nothing else; a service called after an everyday word is found by its key's shape or by the words around it.
PROVIDERS = words("""
    adobe aiven akamai alibaba aliyun aws azure backblaze cloudflare cloudsmith confluent couchbase
    databricks digitalocean elasticsearch equinix fastly firebase heroku hetzner ibmcloud linode mongodb
    netlify ngrok openshift ovh planetscale railway rackspace scaleway snowflake supabase upstash vercel
    vultr zerotier tailscale wasabi artifactory bitbucket bitrise browserstack buildkite circleci codacy
    codeclimate codecov codemagic coveralls docker dockerhub doppler drone github gitlab jenkins jfrog
    launchdarkly npm nuget packagecloud percy pulumi pypi rubygems saucelabs sonar sonarcloud sonarqube
    sourcegraph terraform travisci vagrant scalr snyk statsig semaphoreci airbrake appdynamics bugsnag
    datadog dynatrace grafana honeycomb logdna loggly logzio newrelic opsgenie pagerduty papertrail
    pingdom rollbar sentry splunk statuspage sumologic uptimerobot betterstack statuscake squadcast
    brevo convertkit customerio getresponse klaviyo mailchimp mailerlite mailgun mailjet mandrill
    messagebird nexmo onesignal plivo postmark pushbullet pusher pushover resend sendgrid sendinblue
    sinch sparkpost telnyx twilio vonage adyen binance bitfinex braintree chargebee coinbase dwolla
    easypost flutterwave gocardless kraken kucoin mollie paddle paypal paystack plaid razorpay recurly
    shippo squareup stripe taxjar wepay wise xero quickbooks freshbooks airtable asana atlassian auth0
    basecamp bamboohr clickup confluence contentful discord docusign dropbox evernote figma freshdesk
    frontapp gitter hubspot intercom jira jotform jumpcloud mattermost miro notion okta onelogin
    pipedrive salesforce shopify slack smartsheet surveymonkey telegram todoist trello typeform webex
    webflow wordpress wrike zapier zendesk zoho zulip zoom storyblok sanity prismic facebook flickr
    foursquare instagram linkedin mastodon pinterest reddit snapchat spotify strava tiktok tumblr twitch
    twitter unsplash vimeo yelp youtube anthropic assemblyai cohere deepgram deepl deepseek elevenlabs
    gemini groq huggingface langchain mistral openai openrouter perplexity pinecone replicate runpod
    stability wandb weaviate xai alphavantage clearbit coinmarketcap etherscan finnhub infura alchemy
    ipinfo ipstack locationiq mapbox mapquest maxmind newsapi openweathermap opencagedata polygonio
    quandl rapidapi shodan tiingo tomtom virustotal censys urlscan algolia amplitude appsflyer fullstory
    hotjar mixpanel optimizely posthog segmentio heap meraki yandex
""")
