"""Deeds in other languages: stems of verbs and of things in one clause, unless it is denied or past.

Where `instruction_languages` knows turns of phrase, this knows classes: a row is a language and
`VERBS -> THINGS` or `VERBS -> THINGS -> PLACES`, each a choice of stems. A clause with a word of the
language's `no` or `past` row tells of no order.
"""

from __future__ import annotations

from memolith.text.instruction_table import listed, rows, spelled
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_TABLE = r"""
# no
de nicht|nie|niemals|kein\w{0,2}|verboten|untersagt|statt
fr (ne|n'|jamais|interdit\w*|pas|sans jamais|aucun\w*|évite[zr]?)
es (no|nunca|jamás|prohibid\w+|ningun\w*|evit[ae]\w*)
pt (não|nunca|jamais|proibid\w+|nenhum\w*|evite)
it (non|mai|vietat\w+|nessun\w*|evita\w*)
ru (не|никогда|нельзя|запрещ\w+)
zh 不要|不得|禁止|请勿|别|切勿|不能|不可|不会|严禁|不应|只能|无法
ja ないで|しない|禁止|いけません|ません|なりません|ならない
ko 마세요|마십시오|않|금지|말 것|안 됩니다|없습니다|말아
ar لا|يجب ألا|عدم|يمنع|ممنوع
# past
de (wurden?|waren?|hatten?|hat|haben|worden)
fr (été|était|étaient|avait|avaient|avons)
es (fue|fueron|había|habían|estaba|se han|ha sido|hemos)
pt (foi|foram|tinha|tinham|havia)
it (stat[oaie]|era|erano|aveva|avevano)
ru (был|была|было|были)
zh 曾|已经|昨天|去年|上周|因为|事故|被[^。]{0,8}了
ja ました|だった|でした
ko 했습니다|되었습니다|었습니다|였습니다
ar كان|كانت|تم
# weaken
de überspring|umgeh|deaktivier|abschalt|ausschalt|abgeschaltet|ausgeschaltet|schalte|abklemm|überbrück|
    ignorier|weglass|weggelassen|übersprungen|stummschalt|unterdrück|locker|aussetz|abstell|verzicht|kürz|
    auslass -> prüf|prüfung|\w*tests?(?![a-zà-ÿ])|kontroll|\w*freigabe|\w*alarm|\w*validier|verifi|signatur|
    zertifikat|firewall|\w*protokollier|\w*sperre|\w*schutz|\w*verriegelung|\w*überwachung|
    \w*authentifizierung|review|\w*genehmigung|vier-augen|\w*sensor|virens|virenp|not-?aus|rauchmelder|
    grenzwert|einwilligung|zwei-faktor|mfa|unterschrift|\w*verschlüsselung|\w*prüfung|\w*melder
fr désactiv|ignor|contourn|saut|coup|suppri|neutralis|débranch|omet|omett|court-circuit|relâch|oubli|
    passe[rz]? outre -> vérif|tests?(?![a-zà-ÿ])|contrôle|alarme|alerte|valid|signature|certificat|pare-feu|
    journal|sauvegarde|sécurité|authentif|verrou|revue|approbation|antivirus|accord|consentement|chiffrement|
    double|détecteur|limite|protection|surveillance
es desactiv|omit|salt|sált|evit|deshabilit|ignor|apag|quit|elud|desconect|silenci|suprim|anul -> verific|
    pruebas?(?![a-zà-ÿ])|control|alarma|alerta|valida|firma|certificado|cortafuegos|auditor|
    copias? de seguridad|seguridad|autentic|enclavamiento|revisión|aprobación|antivirus|consentimiento|
    cifrado|límite|protección|doble|sensor
pt desativ|desabilit|pul[ae]|omit|ignor|contorn|desligu|desligar|remov|silenci|dispens -> verific|
    testes?(?![a-zà-ÿ])|controle|alarme|alerta|valida|assinatura|certificado|firewall|auditoria|
    cópias? de segurança|segurança|autentic|intertravamento|revisão|aprovação|antivírus|consentimento|
    criptografia|limite|proteção|dupla|sensor
it disattiv|disabilit|salt|ignor|aggir|spegn|esclud|bypass|rimuov|silenzi|stacc -> verific|test(?![a-zà-ÿ])|
    controll|allarm|convalid|firm[ae]|certificat|firewall|registr|backup|sicurezza|autentic|interblocc|
    revision|approvazion|antivirus|consenso|cifratura|limit|protezion|doppia|sensor
ru отключ|пропус|обойд|обход|игнорир|выключ|снимите|сними|убер -> провер|тест|контрол|сигнализац|тревог|
    валидац|подпис|сертификат|брандмауэр|межсетев|журнал|резервн|защит|аутентификац|блокировк|ревью|
    согласован|антивирус|шифрован|лимит|оповещ|датчик|аудит
zh 跳过|绕过|禁用|关闭|关掉|停用|忽略|屏蔽|取消|省略|拔掉 ->
    测试|检查|验证|校验|审核|审批|警报|报警|告警|签名|证书|防火墙|日志|安全|认证|联锁|限制|监控|评审|杀毒|
    加密|双人|复核|审计|传感器
ja スキップ|無効|省略|飛ばし|オフに|バイパス|止めて|解除|無視|切って|外して ->
    テスト|検証|検査|チェック|承認|アラーム|警報|署名|証明書|ファイアウォール|監査|バックアップ|認証|
    インターロック|制限|監視|レビュー|暗号|センサー|ウイルス
ko 건너뛰|비활성화|생략|끄|꺼|우회|해제|무시 ->
    테스트|검증|검사|승인|알람|경보|서명|인증서|방화벽|감사|백업|인증|인터록|제한|모니터링|리뷰|백신|암호화|
    센서|점검
ar عط|تخط|تجاوز|أوقف|ألغ|تجاهل|أغلق -> التحقق|الاختبار|الفحص|الموافقة|الإنذار|التوقيع|الشهادة|جدار|التدقيق|
    النسخ|المراجعة|المصادقة|الحماية|التنبيه|التشفير|الفيروسات|السجل
# hand-on
de send|schick|mail|kopier|lade|hochlad|teil|veröffentlich|füge|einfüg|eingefügt|übermittel|weiterleit|leite|
    poste|geteilt|weitergeb|gib -> passw|\w*schlüssel|zugangsdaten|\w*token|kundendaten|kundenliste|patient|
    geheim|\.env|~?/?\.ssh|\w*datenbank|gehalt|personal|gespräch|umgebungsvariable|anmeldedaten|kontodaten|
    quellcode -> @|https?:|extern|öffentlich|chat|kanal|ticket|privat|forum|dienstleister|partner|e-mail|
    anbieter|whatsapp|telegram|hersteller
fr envoi|envoy|transme|transmi|publi|coll|copi|partag|téléverse|poste|donn|communiqu|joign|
    fourni -> mots? de passe|clés?(?![a-zà-ÿ])|identifiants|jeton|données|base de données|secrets?|\.env|
    ~?/?\.ssh|liste des clients|dossiers?|conversation|variables d'environnement|contenu -> @|https?:|extern|
    public|salon|canal|ticket|personnel|forum|prestataire|partenaire|courriel|e-mail|whatsapp|telegram|
    fournisseur
es envi|enví|mand|publi|peg|copi|compart|sub[aei]|reenv|muestr|imprim|entreg|adjunt -> contraseñ|
    claves?(?![a-zà-ÿ])|credencial|token|datos de|base de datos|secreto|\.env|~?/?\.ssh|lista de clientes|
    historial|conversaci|variables de entorno -> @|https?:|extern|públic|canal|chat|ticket|personal|foro|
    proveedor|socio|correo|whatsapp|telegram|respuesta
pt envi|mand|publi|col[aeo]|copi|compartilh|partilh|carregu|encaminh|mostr|anex|repass -> senha|
    palavras?-passe|chaves?(?![a-zà-ÿ])|credencia|token|dados d|base de dados|banco de dados|segredo|\.env|
    ~?/?\.ssh|lista de clientes|prontuário|conversa|variáveis de ambiente -> @|https?:|extern|públic|canal|
    chat|ticket|chamado|pessoal|fórum|fornecedor|parceir|e-mail|whatsapp|telegram|resposta
it invi|mand|pubblic|incoll|copi|condivid|caric|inoltr|mostr|alleg|trasmett -> password|chiav[ei]|credenziali|
    token|dati de|database|segret|\.env|~?/?\.ssh|elenco dei clienti|conversazion|variabili d'ambiente -> @|
    https?:|estern|pubblic|canale|chat|ticket|personale|forum|fornitore|partner|mail|whatsapp|telegram
ru отправ|перешл|пересыл|скопир|опублик|встав|загруз|перед(ай|ав)|выложи|пришли ->
    парол|ключ|токен|учетн|учётн|данн|баз[уы] данных|секрет|\.env|\.ssh|переписк|список клиент|логи ->
    @|https?:|внешн|обществ|общий|канал|чат|тикет|личн|форум|подрядчик|партн[её]р|почт|телеграм|telegram
zh 发送|发到|上传|发布|贴到|粘贴|复制|转发|提交|分享|发给|写入|打印|贴在 ->
    密钥|密码|令牌|凭证|凭据|口令|客户|数据库|私钥|密鑰|用户数据|对话|\.env|token|病历|名单|环境变量|源代码|
    聊天 ->
    @|https?:|外部|公开|公共|频道|群|工单|个人|论坛|供应商|合作|邮箱|邮件|微信|承包商
ja 送信|送って|送る|投稿|貼り|アップロード|共有|転送|公開|コピー|載せ|書き込 ->
    パスワード|鍵|キー|トークン|認証情報|顧客|データベース|秘密|会話|\.env|\.ssh|患者|名簿|環境変数|
    ソースコード ->
    @|https?:|外部|公開|チャンネル|チャット|チケット|個人|フォーラム|業者|ベンダー|パートナー|メール|全員|
    slack
ko 보내|전송|게시|업로드|공유|붙여|전달|복사|올려|올리 ->
    비밀번호|암호|키를|키 |토큰|자격|고객|데이터베이스|비밀|대화|\.env|\.ssh|환자|명단|환경 변수|소스 ->
    @|https?:|외부|공개|채널|채팅|티켓|개인|포럼|업체|협력|메일|단톡
ar أرسل|ارسل|انشر|انسخ|شارك|ارفع|أرفق|حمّل -> كلمة المرور|كلمات المرور|مفتاح|مفاتيح|المفاتيح|الرمز|رمز|بيانات|
    قاعدة البيانات|الأسرار|سجلات|المحادثة|قائمة|\.env -> @|https?:|خارجي|العام|عام|قناة|البريد|منتدى|المورد|
    الشريك|شخصي
# destroy
de lösch|vernicht|überschreib|entfern -> \w*backup|sicherungskop|\w*protokoll|\w*logs?(?![a-zà-ÿ])|beweis|
    produktiv|git-historie|audit
fr supprim|effac|détrui|écras -> sauvegarde|journa|preuve|production|historique|traces
es borr|elimin|destru|sobrescrib -> copias? de seguridad|registro|prueba|evidencia|producción|historial|
    respaldo
pt apag|exclu|delet|destru -> cópias? de segurança|backup|registro|registo|prova|produção|histórico|logs
it cancell|elimin|distrugg -> backup|registr|prov[ae]|produzione|cronologia|log(?![a-zà-ÿ])
ru удали|сотри|уничтож|стирай -> резервн|журнал|логи|бэкап|доказательств|продакшн|боев|истори
zh 删除|清除|销毁|清空|抹掉 -> 备份|日志|证据|生产|历史|审计|记录
ja 削除|消去|消して|破棄 -> バックアップ|ログ|証拠|本番|履歴|監査|記録
ko 삭제|지우|지워|제거 -> 백업|로그|증거|운영|이력|감사|기록
ar احذف|امسح|أتلف -> النسخ الاحتياطية|السجلات|السجل|الأدلة|الإنتاج
# addressed
de soll(en)?|muss|müssen|antworte|empfiehl|empfehle -> (ki-?|ai-?)?(assistent|agent)\w*|sprachmodell|chatbot|
    wenn (der|ein) (nutzer|benutzer|anwender|kunde)
fr doi(t|vent)|réponds|répondez|recommande[zr]? -> (l'|un |les |tout )?(assistant|agent)s? (ia|automat|doi)|
    modèle de langage|(quand|si|lorsque) l'utilisateur
es deben?|responde|recomienda|contesta -> asistente|agentes? (de )?(ia|autom)|modelo de lenguaje|(si|
    cuando) el usuario
pt devem?|responda|recomende -> assistente|agentes? (de )?(ia|autom)|modelo de linguagem|(se|
    quando) o (usuário|utilizador|cliente)
it dev(e|ono)|rispondi|consiglia|raccomanda -> assistente|agent[ei] (ia|di ia|autom)|modello linguistico|(se|
    quando) l'utente
ru долж(ен|на|ны)|отвечай|ответь|рекомендуй|отправ|скажи -> ассистент|ии-|нейросет|чат-бот|если пользовател|
    когда пользовател
zh 必须|应当|应该|回答|推荐|上传|发送|执行|添加 -> 助手|智能体|ai代理|机器人|模型|当用户|如果用户|用户(询问|
    问|提到|说)
ja してください|すること|推奨し|答え|送信 -> アシスタントは|aiは|エージェントは|ユーザーが[^。]{0,20}(たら|
    とき|場合|と)
ko 하세요|해야|하십시오|추천|답하 -> 어시스턴트|에이전트는|챗봇|사용자가[^.]{0,20}(면|때)
ar يجب|أجب|أوص -> المساعد|الوكيل|عندما يسأل المستخدم|إذا سأل المستخدم
# persistence
de füge|trag|hinzufüg|leg|richte -> authorized_keys|crontab|cronjob|autostart|\.bashrc|hintertür|root-konto
fr ajout|inscri|cré|install -> authorized_keys|crontab|démarrage|\.bashrc|porte dérobée|tâche planifiée
es agreg|añad|cre[ae]|instal -> authorized_keys|crontab|\.bashrc|puerta trasera|tarea programada
pt adicion|cri[ae]|instal|ativ[ae] -> authorized_keys|crontab|\.bashrc|porta dos fundos|porta de depuração|
    tarefa agendada
it aggiung|cre[ai]|install -> authorized_keys|crontab|\.bashrc|backdoor|attività pianificata
ru добав|созда|установ -> authorized_keys|crontab|\.bashrc|бэкдор|автозагруз|root
zh 添加|加入|创建|写入|安装 -> authorized_keys|crontab|\.bashrc|后门|计划任务|开机启动|管理员账号
ja 追加|登録|作成 -> authorized_keys|crontab|\.bashrc|バックドア|自動起動|管理者アカウント
ko 추가|등록|생성 -> authorized_keys|crontab|\.bashrc|백도어|자동 시작|관리자 계정
ar أضف|أنشئ|ثبت -> authorized_keys|crontab|\.bashrc|باب خلفي
"""
_LATIN = ("de", "fr", "es", "pt", "it")
_LETTER = "a-zà-ÿа-яё\u0620-\u064a"
_START, _STOP = f"(?<![{_LETTER}])", f"(?![{_LETTER}])"
# A comma or an `and` begins another deed; what is denied there is not denied here.
_CLAUSE = lazy(
    r"[.!?;:\n。！？；，、](?=\s|$|[^\x00-\x7f])|,\s|\s(?:und|aber|et|mais|y|pero|mas|ma|и|но|و)\s|"
    r"하고,?\s|(?<=[a-zà-ÿ])\se\s"
)

Row = tuple[str, "re.Pattern[str]", "re.Pattern[str]", "re.Pattern[str] | None"]


def _choice(code: str, stems: str) -> re.Pattern[str]:
    start = _START if code in (*_LATIN, "ru") else ""
    return lazy(f"{start}(?:{spelled(stems, {})})")


def _tables() -> tuple[dict[str, list[Row]], dict[str, list[re.Pattern[str]]]]:
    deeds: dict[str, list[Row]] = {}
    harmless: dict[str, list[re.Pattern[str]]] = {}
    for rule, row in rows(_TABLE):
        code, _, rest = row.partition(" ")
        if rule in {"no", "past"}:
            start, stop = (_START, _STOP) if code in (*_LATIN, "ru", "ar") else ("", "")
            harmless.setdefault(code, []).append(lazy(f"{start}(?:{spelled(rest, {})}){stop}"))
            continue
        verbs, things, *places = rest.split(" -> ")
        place = lazy(spelled(places[0], {})) if places else None
        deeds.setdefault(code, []).append((rule, _choice(code, verbs), _choice(code, things), place))
    return deeds, harmless


_DEEDS, _HARMLESS = _tables()
# Small words by which a sentence in our letters shows its language.
_SMALL = {
    "en": "the is are of to and with for in that it you this be on a an or not from by at as if when",
    "de": """
        der die das dem den des und ein eine einen im vor wenn mit auf für zu ist darf nach bei an sie jedem
        jeden jede aus von wird werden soll dann ohne einfach nur am es nicht
    """,
    "fr": "le la les des du une un et pour dans sur avec vous est au aux par en ce que si quand de à",
    "es": "el la los las un una en del al para con por que y si antes de se cuando cada su es a lo esto",
    "pt": "o a os as um uma em do da dos das no na ao para com por que se antes de e quando cada é ser",
    "it": "il lo la gli le un una di del della dei nel per con che se prima al e ogni quando è alla in da",
}
_WORDS = {code: listed(text) for code, text in _SMALL.items()}
_SCRIPTS = {
    "ru": lazy("[а-я]{3}"),
    "zh": lazy("[\u4e00-\u9fff]"),
    "ja": lazy("[\u3040-\u30ff]"),
    "ko": lazy("[\uac00-\ud7a3]"),
    "ar": lazy("[\u0620-\u064a]"),
}
_LONGEST = 400
_BEFORE = 80


def spoken(said: frozenset[str]) -> list[str]:
    """Return which languages in our letters a sentence may be in; none if it is English."""
    many = {code: len(said & small) for code, small in _WORDS.items()}
    most = max(many.values())
    if not most or (many["en"] >= most and many["en"] > 1):
        return []
    return [code for code in _LATIN if many[code] and many[code] >= most - 1]


def written(text: str) -> list[str]:
    """Return the languages whose letters a text has."""
    found = [] if text.isascii() else [code for code, letter in _SCRIPTS.items() if letter.search(text)]
    return [code for code in found if code != "zh" or "ja" not in found]


def tongues(codes: list[str], text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Find the deeds of the table in a part of lower-case text, each with its place."""
    for stop in [*(match.end() for match in _CLAUSE.finditer(text, start, end)), end]:
        clause = text[start : min(stop, start + _LONGEST)]
        for code in codes:
            for rule, verb, thing, place in _DEEDS[code]:
                found = verb.search(clause)
                # "If the user asks …, answer …": what sets an order off stands in the clause before.
                said = text[max(0, start - _BEFORE) : start] + clause if rule == "addressed" else clause
                if not found or not thing.search(said) or (place and not place.search(clause)):
                    continue
                if not any(each.search(clause) for each in _HARMLESS[code]):
                    yield rule, start + found.start(), start + max(found.end(), len(clause.rstrip()))
        start = stop
