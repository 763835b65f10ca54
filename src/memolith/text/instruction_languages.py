"""The same dangers in ten other languages: override, concealment, consent, weakened checks, secrets sent.

Orders only: an infinitive or a participle is a description, and a negated order is advice. The patterns see
lower-case text with single blanks; `~` stands for up to 40 characters of the same sentence.
"""

from __future__ import annotations

from memolith.text.instruction_table import listed, rows, spelled
from memolith.text.patterns import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

# Directly before an order, these turn it round.
NEGATION = lazy(
    r"(?:\bnie|\bnicht|\bniemals|\bkein\w{0,2}|\bne|\bn'|\bjamais|\bno|\bnunca|\bnão|\bjamás|\bnon|\bmai|не|никогда|нельзя|"
    r"不要|不得|禁止|请勿|别|切勿|لا|يجب ألا|عدم)[^.,;!?\n]{0,8}$"
)

_TABLE = r"""
# override
de (ignorier(e|en|t)|vergiss|vergesst|missachte|verwirf)~(vorherig|bisherig|früher|obig|
    vorangehend|alle\w{0,2} )~(anweisung|regel|vorgabe|instruktion|befehl|richtlinie)
fr (ignore[zr]?|oublie[zr]?|négligez?|ne tenez pas compte)~(instructions?|consignes?|règles?|
    directives?)~(précédent|antérieur|ci-dessus|initial|système)
es (ignor[ae]n?|olvid[ae]n?|descart[ae]|no hagas caso)~(instrucciones|reglas|órdenes|
    indicaciones)~(anterior|previa|sistema|usuario)
pt (ignor[ae]m?|esque[çc]a|desconsidere)~(instruções|regras|ordens|orientações)~(anterior|
    prévia|sistema|usuário)
it (ignora|ignorate|dimentica|dimenticate|trascura)~(istruzioni|regole|indicazioni|direttive)
    ~(precedent|anterior|sistema|utente)
ru (игнориру(й|йте)|забудь(те)?|отбрось(те)?|проигнорируй(те)?|не обращай(те)? внимания)
    ~(инструкци|указани|правил|команд)
zh (忽略|无视|忘记|忘掉|不理会|無視)[^。\n]{0,12}(之前|以上|先前|前面|所有|此前|原来|系统)
    [^。\n]{0,8}(指令|指示|规则|提示|要求|說明|说明)
ja (以前|これまで|上記|前|先ほど|すべて|全て|システム)[^。\n]{0,10}(指示|命令|ルール|指令|
    プロンプト)[^。\n]{0,8}(無視し|忘れて|無視する|破棄し)
ko (이전|앞선|기존|위의|모든|지금까지)[^.\n]{0,10}(지시|명령|규칙|지침|프롬프트)
    [^.\n]{0,10}(무시하|잊어|무시해)
ar (تجاهل|انس|تجاوز|أهمل)~(التعليمات|الأوامر|القواعد|الإرشادات|تعليمات)
# concealment
de (sag|sage|sagt|erzähl|erzähle|verrate|teile?|zeige|melde|informiere)~(nutzer|benutzer|
    anwender|bediener|kunden|niemand)~(nicht|kein|nichts|davon)|(informiere|benachrichtige|
    sage?|verrate)~niemand|ohne (den|die|dem) (nutzer|benutzer|anwender)
    \w{0,3}~(zu (informieren|fragen|sagen)|darüber)|erwähne~(nicht|nie)
fr ne (le )?(dis|dites|révèle|révélez|mentionne|mentionnez|montre|montrez|signale|signalez|
    parle|parlez|prévenez)~(utilisateur|client|opérateur|personne|rien|jamais|cette)|
    sans (en )?(informer|prévenir|avertir|le dire)~(utilisateur|client|personne|opérateur)|
    (à l'insu de)
es no (se )?(lo |le |les )?(digas?|diga|cuentes?|menciones?|reveles?|muestres?|informes?|
    avises?)~(usuario|cliente|operador|nadie|esto|nada)|sin (avisar|informar|decir)~(usuario|
    cliente|nadie|operador)
pt não (conte|diga|mencione|revele|mostre|informe|avise|fale)~(usuário|utilizador|cliente|
    ninguém|operador|isto|isso|nada)|sem (avisar|informar|contar)~(usuário|utilizador|cliente|
    ninguém)
it non (dire|dirlo|rivelare|menzionare|mostrare|informare|avvisare|parlare|dite)~(utente|
    cliente|operatore|nessuno|nulla|niente)|senza (avvisare|informare|dire|dirlo)~(utente|
    cliente|nessuno)
ru не (говори(те)?|сообщай(те)?|упоминай(те)?|показывай(те)?|рассказывай(те)?|раскрывай(те)?|
    предупреждай(те)?)|(незаметно|втайне|тайно|скрытно) (от|измени|добавь|отправь|замени|удали)|
    скрой(те)?~от пользовател
zh (不要|别|勿|不得|无需|不必)(告诉|告知|通知|提及|透露|提醒|向)[^。\n]{0,6}(用户|客户|任何人|
    操作员|别人|使用者|本)|(悄悄|偷偷|暗中|秘密)(地)?(修改|添加|发送|删除|替换|执行|上传)|
    对用户(隐瞒|保密)
ja (ユーザー|利用者|お客様|誰|担当者|オペレーター)[^。\n]{0,6}(知らせない|言わない|伝えない|
    教えない|見せない|報告しない|気づかれない)|(こっそり|密かに|黙って|ひそかに)
ko (사용자|고객|아무|운영자|누구)[^.\n]{0,6}(알리지 ?마|말하지 ?마|언급하지 ?마|보여주지 ?마|
    알리지 ?말)|(몰래|은밀히|조용히) (변경|추가|전송|삭제|실행|수정|보내)
ar لا (تخبر|تذكر|تكشف|تعلم|تظهر|تبلغ|تقل)~(المستخدم|العميل|أحد|المشغل|هذا|بذلك)|(سرا|سراً|بصمت|
    خفية|دون علم)
# blanket-consent
de (genehmige|bestätige|akzeptiere|erlaube|bewillige|gib)~(alle|jede|jeden|sämtliche)~(anfrage|
    antr[aä]g|befehl|änderung|zugriff|zahlung|rückfrage|frei|prüfung)|ohne (rückfrage|nachfrage|
    bestätigung|freigabe|genehmigung)~(ausführen|aus|löschen|freigeben|umsetzen)|frage? (nie|
    niemals|nicht)~(bestätigung|erlaubnis|nach|genehmigung)
fr (approuve[zr]?|accepte[zr]?|autorise[zr]?|valide[zr]?)~(toutes?|tous|chaque)~(demande|
    commande|modification|accès|paiement|requête|changement)|(ne demande[zr]?|sans demander)
    ~(jamais|pas)?~(confirmation|autorisation|permission|l'accord)|sans (confirmation|
    approbation)
es (aprueba|apruebe|acepta|acepte|autoriza|autorice)n?~(todas|todos|cada|cualquier)~(solicitud|
    petici|comando|cambio|acceso|pago|orden)|(no pidas?|nunca pidas?|sin pedir)~(confirmación|
    permiso|autorización|aprobación)
pt (aprove|aceite|autorize)m?~(todas|todos|cada|qualquer)~(solicita|pedido|comando|mudança|
    altera|acesso|pagamento)|(não peça|nunca peça|sem pedir)~(confirmação|permissão|autorização|
    aprovação)
it (approva|approvate|accetta|accettate|autorizza|autorizzate)~(tutte|tutti|ogni|qualsiasi)
    ~(richiest|comand|modific|access|pagament)|(non chiedere|senza chiedere)~(conferma|permesso|
    autorizzazione|mai)
ru (одобряй|одобри|подтверждай|принимай|разрешай|утверждай)(те)?~(все|вс[её]|любы|кажд)~|
    (не спрашивай|никогда не спрашивай|не запрашивай)(те)?~(подтвержд|разрешен|согласи)|
    без (подтверждения|согласования|разрешения)
zh (批准|同意|接受|允许|通过)(所有|任何|每个|每一个|全部)[^。\n]{0,10}(请求|命令|更改|操作|权限|
    申请|付款)|(不要|无需|不必|不用|从不)(请求|征求|要求|询问)[^。\n]{0,8}(确认|许可|批准|同意|
    用户)|(未经|无需|不经)(确认|审批|批准|审核)
ja (すべて|全て|あらゆる|どんな)[^。\n]{0,12}(承認し|許可し|受け入れ|実行し)|確認(を求め|せ)
    ずに|(承認|許可|確認)(なし|無し)(で|に)
ko (모든|어떤)[^.\n]{0,12}(승인하|허용하|수락하|실행하)(세요|라|십시오|고)|(확인|승인|허락)
    [^.\n]{0,4}(없이|받지 말고|묻지 말고)
ar (وافق|اقبل|اسمح)~(جميع|كل|أي)~|(لا تطلب|دون طلب|بدون)~(تأكيد|إذن|موافقة)
# needless
de (warte(t|n)?|wartet) (nicht|nie)~(freigabe|genehmigung|prüfung|zustimmung|test|review|antwort|bestätigung)|
    ohne (die |den |eine |auf )~(freigabe|genehmigung|prüfung|zustimmung) (abzuwarten|zu warten)
fr n'attende?[zr]? pas~(accord|validation|approbation|revue|test|autorisation|confirmation)
es no espere[ns]?~(aprobación|revisión|visto bueno|confirmación|autorización|prueba)
pt não espere[m]?~(aprovação|revisão|confirmação|autorização|teste)
it non (aspettare|attendere|aspettate)~(approvazione|revisione|conferma|autorizzazione|test)
ru не (жди|ждите|дожидайся|дожидайтесь)~(одобрен|согласован|провер|подтвержд|тест)
zh (无需|不用|不必|不要)(等待|等)[^。\n]{0,10}(审批|批准|审核|确认|测试|同意)
ja (承認|確認|レビュー|許可|テスト)[^。\n]{0,8}(待たずに|待たないで|待つ必要)
ko (승인|확인|검토|허가|테스트)[^.\n]{0,8}기다리지
# promotion
de (empfiehl|empfehle|empfehlt|nenne)~(immer|stets|nur|ausschließlich)
fr (recommande|conseille|propose)[zr]?~(toujours|uniquement|exclusivement)
es (recomiend[ae]|suger|sugier)\w{0,2}~(siempre|solo|sólo|únicamente)
pt (recomende|sugira|indique)~(sempre|somente|apenas)
it (consiglia|raccomanda|suggerisci)~(sempre|solo|soltanto)
ru (всегда|только) (рекомендуй|советуй|предлагай)(те)?
zh (始终|总是|一律|只|务必)(推荐|建议)
ja (必ず|常に|いつも)[^。\n]{0,16}(勧め|推奨し|薦め)
ko (항상|반드시|언제나)[^.\n]{0,16}(추천하|권하)
# weaken
de (schalte|schalten sie|deaktiviere|deaktivieren sie|überspringe|überspringen sie|umgehe|
    umgehen sie|unterdrücke|stelle)~(prüfung|tests?(?![a-zà-ÿ])|kontrolle|freigabe|alarm|
    validierung|verifi|signatur|zertifikat|firewall|protokoll|sicherung|sperre|schutz|
    verriegelung|überwachung|authentifizierung|review)|(darf|dürfen|kann|können|soll|sollen)
    ~(prüfung|tests?(?![a-zà-ÿ])|kontrolle|freigabe|alarm|verriegelung|schutz|signatur|sperre|
    überwachung)~(?<!nicht )(übersprungen|umgangen|abgeschaltet|deaktiviert|überbrückt|
    überbrücken|umgehen|abschalten|ausschalten|überspringen|deaktivieren|weglassen)
fr (désactive[zr]?|désactivent|ignore[zr]?|contourne[zr]?|saute[zr]?|coupe[zr]?|supprime[zr]?|
    sautez)~(vérification|tests?(?![a-zà-ÿ])|contrôle|alarme|alerte|validation|signature|
    certificat|pare-feu|journal|sauvegarde|sécurité|authentification|verrouillage|revue|
    approbation)
es (desactiv[ae]n?|omit[ae]n?|omite|salt[ae]n?|sáltate|evit[ae]|deshabilit[ae]n?|ignor[ae]|
    apag[ae])~(verificación|pruebas?(?![a-zà-ÿ])|control|alarma|alerta|validación|firma|
    certificado|cortafuegos|registro|copias? de seguridad|seguridad|autenticación|enclavamiento|
    revisión|aprobación)
pt (desativ[ae]m?|desabilit[ae]m?|pule|omita|ignore|contorne|desligue)~(verificação|
    testes?(?![a-zà-ÿ])|controle|alarme|alerta|validação|assinatura|certificado|firewall|
    registro|backup|segurança|autenticação|intertravamento|revisão|aprovação)
it (disattiva|disattivate|disabilita|disabilitate|salta|saltate|ignora|aggira|spegni|escludi)
    ~(verific|test(?![a-zà-ÿ])|controll|allarm|convalida|firm[ae]|certificat|firewall|registr|
    backup|sicurezza|autenticazione|interblocc|revision|approvazion)
ru (отключи(те)?|пропусти(те)?|пропускай(те)?|обойди(те)?|игнорируй(те)?|выключи(те)?|
    отключай(те)?|отключайте)~(провер|тест|контрол|сигнализац|тревог|валидац|подпис|сертификат|
    брандмауэр|журнал|резервн|защит|аутентификац|блокировк|ревью|согласован)
zh (?<!不)(?<!不要)(?<!不得)(?<!禁止)(?<!请勿)(?<!切勿)(?<!不能)(?<!不可)(跳过|绕过|禁用|关闭|
    关掉|停用|忽略|屏蔽|取消)[^。\n]{0,12}(测试|检查|验证|校验|审核|审批|警报|报警|告警|签名|
    证书|防火墙|日志|备份|安全|认证|联锁|限制|监控|评审)
ja (テスト|検証|検査|チェック|承認|アラーム|警報|署名|証明書|ファイアウォール|ログ|バックアップ|
    認証|インターロック|制限|監視|レビュー)[^。\n]{0,10}(スキップし(?!な)|無効に(し(?!な)|
    する(?!な|こと(は|を)))|省略し(?!な)|飛ばし(?!な)|オフにし(?!な)|バイパスし(?!な)|止めて|
    解除し(?!な)|無視し(?!な))
ko (테스트|검증|검사|확인|승인|알람|경보|서명|인증서|방화벽|로그|백업|인증|인터록|제한|모니터링|
    리뷰)[^.\n]{0,8}(건너뛰(?!지)|비활성화(?!하지)|생략하(?!지)|끄(?!지)|우회하(?!지)|
    해제하(?!지)|무시하(?!지)|꺼)
ar (عط[ّ]?ل|تخط|تجاوز|أوقف|ألغ|تجاهل|أغلق)~(التحقق|الاختبار|الفحص|الموافقة|الإنذار|التوقيع|
    الشهادة|جدار|السجل|النسخ|المراجعة|المصادقة|الحماية|التنبيه)
# hand-on
de (sende|senden sie|schicke|schick|schicken sie|poste|kopiere|lade|maile|teile|veröffentliche|
    füge)~(passwort|passwörter|schlüssel|zugangsdaten|token|kundendaten|datenbank|geheimnis|
    \.env)~(an |in |auf |@|hoch|per |mit )
fr (envoie|envoyez|envoyer|transmets|transmettez|publie[zr]?|collez|copiez|partage[zr]?|
    téléverse[zr]?)~(mots? de passe|clés?(?![a-zà-ÿ])|identifiants|jeton|données client|
    base de données|secrets?|\.env)~(à |au |aux |sur |dans |@|par )
es (envía|envíe|enviar|manda|mande|publica|publique|pega|pegue|copia|copie|comparte|comparta|
    sube|suba)~(contraseñas?|claves?|credenciales|token|datos de clientes|base de datos|
    secretos?|\.env)~(al? |en |por |@|con )
pt (envie|mande|publique|cole|copie|compartilhe|partilhe|carregue)~(senhas?|palavras?-passe|
    chaves?|credenciais|token|dados d|base de dados|banco de dados|segredos?|\.env)~(para |ao? |
    em |no |na |por |@|com )
it (invia|inviate|manda|mandate|pubblica|incolla|copia|condividi|carica)~(password|chiav[ei]|
    credenziali|token|dati dei clienti|database|segret|\.env)~(a |al |alla |su |nel |nella |
    per |@|con )
ru (отправь(те)?|отправляй(те)?|перешли(те)?|скопируй(те)?|опубликуй(те)?|вставь(те)?|
    загрузи(те)?|передай(те)?)~(парол|ключ|токен|учетн|учётн|данные клиент|баз[уы] данных|
    секрет|\.env)
zh (把|将|將)[^。\n]{0,10}(密钥|密码|令牌|凭证|凭据|口令|客户数据|数据库|私钥|密鑰|用户数据|
    对话|\.env|token)[^。\n]{0,10}(发送|发到|上传|发布|贴到|粘贴|复制到|转发|提交|分享|发给)
ja (パスワード|鍵|キー|トークン|認証情報|顧客データ|データベース|秘密|会話|\.env)
    [^。\n]{0,16}(送信し|送って|送る|投稿し|貼り付け|アップロードし|共有し|転送し|公開し)(?!な)
ko (비밀번호|암호|키|토큰|자격 증명|고객 데이터|데이터베이스|비밀|대화|\.env)
    [^.\n]{0,16}(보내(?!지)|전송하(?!지)|게시하(?!지)|업로드하(?!지)|공유하(?!지)|붙여넣(?!지)|
    전달하(?!지))
ar (أرسل|ارسل|انشر|انسخ|شارك|ارفع)~(كلمة المرور|كلمات المرور|المفتاح|مفتاح|الرمز|بيانات|
    قاعدة البيانات|الأسرار)
"""
# One of these is in every sentence of the languages that are written with our letters.
HINTS = listed("""
    der die das dem den nicht nichts niemals niemand alle alles und ohne nie auf sie le la les des du une et
    sans pas toutes tous ne el los las una todas todos sin al del usuario il lo gli tutte tutti non senza
    vous nous usted nulla os ao na para em com as dell all'utente tests
""")
# Within an order: "darf … nicht".
INNER = lazy(
    r"(?:^|[^a-zà-ÿ])(?:nicht|nie|niemals|kein\w{0,2}|pas|jamais|nunca)(?:$|[^a-zà-ÿ])|しない|不得|不能|禁止|只有"
)


def _rules(codes: tuple[str, ...], before: str = "") -> list[tuple[str, re.Pattern[str]]]:
    """Return one pattern per rule, of all the languages with these codes."""
    found: dict[str, list[str]] = {}
    for rule, row in rows(_TABLE):
        code, _, pattern = row.partition(" ")
        if code in codes:
            found.setdefault(rule, []).append(spelled(pattern, {}).replace("~", r"[^.!?;\n]{0,40}?"))
    return [(rule, lazy(f"{before}(?:{'|'.join(patterns)})")) for rule, patterns in found.items()]


# A Latin word begins where a word begins: `pule` is not in `ampule`.
LATIN = _rules(("de", "fr", "es", "pt", "it"), "(?<![a-zà-ÿ])")
# For the others, their letters tell the language: a letter that every such text has, and the rules.
SCRIPTS = [
    (lazy("[а-я]"), _rules(("ru",))),
    (lazy("[\u4e00-\u9fff\u3040-\u30ff]"), _rules(("zh", "ja"))),
    (lazy("[\uac00-\ud7a3]"), _rules(("ko",))),
    (lazy("[\u0620-\u064a]"), _rules(("ar",))),
]
