"""The shapes in which lasting things are stated in Chinese.

Law: a rule names what it takes for certain and what it leaves alone; the first that matches wins.
"""

from __future__ import annotations

from kit.digest.shapes import EXPLICIT, INFERRED, rule

_DEICTIC = r"(?![^，；]*(?:这|那|它|第[一二三四]|刚才|现在先|今天|暂时|先别|你的))"
ONE = (
    r"(?:房东|老板|上司|领导|导师|主管|经理|组长|老婆|妻子|太太|老公|丈夫|爱人|女朋友|男朋友|未婚妻|未婚夫|妈妈?|母亲|"
    r"爸爸?|父亲|牙医|律师|会计|负责人|联系人|班主任|产品经理|项目经理|房东太太)"
)
"""Persons of whom there is one at a time."""
MANY = (
    r"(?:姐姐?|妹妹?|哥哥?|弟弟?|儿子|女儿|孩子|朋友|同事|同学|邻居|室友|表[姐妹哥弟]|堂[姐妹哥弟]|爱好|兴趣|目标|"
    r"特长|优点|缺点|猫|狗|宠物)"
)
"""What a person may have several of."""
_KIN = (
    r"(?:老婆|妻子|太太|老公|丈夫|爱人|女朋友|男朋友|未婚[妻夫]|妈妈?|母亲|爸爸?|父亲|姐姐?|妹妹?|哥哥?|弟弟?|儿子|女儿|"
    r"孩子|爷爷|奶奶|外公|外婆|房东|导师|老板|领导|室友)"
)
JOB = (
    r"(?:工程师|程序员|开发者?|设计师|架构师|医生|护士|老师|教师|教授|律师|学生|研究生|博士生|经理|研究员|科学家|分析师|"
    r"会计师?|顾问|编辑|记者|翻译|作家|厨师|药剂师|公务员|运维|测试员|产品经理)"
)
CORRECTIONS = (
    rule(
        r"^(?:不对|错了|不是|更正|纠正)[，,。！!：:\s]*(?:应该|应当|要|得)(?:使用|用)(?P<value>.+)",
        "style",
        EXPLICIT,
        "corrects a way of doing",
        correction=True,
    ),
    rule(
        r"^(?:不对|错了|不是|更正|纠正)[，,。！!：:\s]*(?P<about>[^，,。]{1,16}?)?(?:应该|应当)是(?P<value>.+)",
        "fact",
        EXPLICIT,
        "corrects a value",
        correction=True,
    ),
    rule(
        r"^(?:不对|错了|更正|"
        r"纠正)[，,。！!：:\s]*(?P<about>[^，,。]{1,16}?)是(?P<value>[^，,]+)[，,]\s*(?:而)?不是.+",
        "fact",
        EXPLICIT,
        "corrects a value",
        correction=True,
    ),
)
RULES = (
    rule(
        rf"^(?:以后|今后|往后|从现在起|从今以后|今后所有){_DEICTIC}(?!可能|也许|再说|会不会|要是|"
        rf"或许)(?=.*(?:都|请|要|别|用|一律|"
        rf"不))(?P<value>.{{4,}})",
        "style",
        EXPLICIT,
        "says 以后",
    ),
    rule(
        rf"^(?P<about>[^，,。我你]{{0,12}})我(?:还是|更|最|比较|很|一直|挺)*(?:喜欢|偏好|倾向于?|"
        rf"偏爱|爱用){_DEICTIC}(?!你|的是哪)(?P<value>.+)",
        "preference",
        EXPLICIT,
        "says what is preferred",
    ),
    rule(
        rf"^[^，,。我你]{{0,12}}我(?:很|最|特别|非常)*(?:不喜欢|讨厌|受不了|反感){_DEICTIC}(?!你)(?:.+)",
        "preference",
        EXPLICIT,
        "says what is disliked",
    ),
    rule(
        r"^我(?:一般|通常|习惯|平时|总是|经常|从不|每天|每周)(?!.{0,3}(?:收到|遇到|看到|看不|忘|"
        r"出现|报错|失败|没有|得到|碰到|不会|会))(?P<value>.{3,})",
        "habit",
        INFERRED,
        "tells a habit",
    ),
    rule(rf"^(?:请|请你)?(?:总是|始终|一律|永远|务必){_DEICTIC}(?:.{{3,}})", "style", EXPLICIT, "an order for always"),
    rule(
        r"^每次(?=.*(?:都|要|请|先))(?!.*(?:失败|报错|超时|崩|出错|都会))(?P<value>.{4,})",
        "style",
        EXPLICIT,
        "an order for every time",
    ),
    rule(
        rf"^(?:[^，,。我你]{{2,12}}(?:里|中|时|中间)|我的[^，,。]{{1,20}}?)?请?(?:不要|别|绝不|"
        rf"禁止|不准){_DEICTIC}"
        r"(?:再)?(?:用|使用|写|加|添加|在没|未经|直接推)(?:.+)",
        "style",
        INFERRED,
        "an order what not to do",
    ),
    rule(
        r"^(?:回答|回复|答复|汇报|提交|输出|命名|写注释|写文档|写代码)(?:之?前|的?时候?|"
        r"后)?[，,]?(?:请|要|都|务必)(?P<value>.{2,})",
        "style",
        INFERRED,
        "says how a thing is to be done",
    ),
    rule(r"^(?P<about>我叫)(?P<value>[^，,。！]{2,8})", "fact", EXPLICIT, "gives the name"),
    rule(
        r"^(?P<about>我们的?(?:客户|用户|公司|市场|产品|预算))(?:主要)?(?:是|在)(?P<value>.+)|"
        r"^我们(?:主要)?(?P<value2>(?:卖给|面向|服务于?|卖).+)",
        "business",
        EXPLICIT,
        "says what the business is",
    ),
    rule(
        r"^(?P<about>我们?的(?!问题|意思|想法|测试|代码|建议|错|理解|目标|计划|任务|疑问|看法|"
        r"程序|构建)[^，,。是]{1,10}?)"
        r"(?:叫做?|用的是|装的是|是|在)(?!对的|错的|什么|不|正常|好的|坏的|空的)(?P<value>.+)"
        r"|^(?P<about2>我(?!们)[^，,。是的]{1,4}的(?:生日|名字|电话|邮箱|地址|工作|老师))(?:是|叫|在)(?P<value2>.+)",
        "fact",
        EXPLICIT,
        "says how something is",
    ),
    rule(
        rf"^(?P<about>我们(?:一直|都|现在)?(?:用|使用|采用))(?!了|得|不|"
        rf"到){_DEICTIC}(?P<value>.*(?:做|管理|来|作为|写|部署|[A-Za-z]).*)",
        "fact",
        EXPLICIT,
        "says what is used",
    ),
    rule(
        r"^(?P<about>我们的?[^，,。是]{1,12})(?:叫做?|部署在|放在)(?P<value>.+)",
        "fact",
        EXPLICIT,
        "says how something is",
    ),
    rule(
        rf"^我的?{_KIN}(?:现在|目前)?(?:是|名?叫)(?!不|什么|谁|否|说|我)(?P<value>[^，,。]{{1,20}}(?<!的))[。！! ]*$",
        "fact",
        EXPLICIT,
        "says who somebody is",
    ),
    rule(
        rf"^我的?{_KIN}(?:现在|目前)?(?:住在(?P<value>[^，,。]{{2,12}})"
        r"|在(?P<value2>[^，,。]{2,12}?)(?:工作|上班|上学|读书|任职))[。！! ]*$",
        "fact",
        EXPLICIT,
        "says where somebody is",
    ),
    rule(
        rf"^我(?:现在|目前)?是(?P<value>(?:一[名个位])?[^，,。不我这那]{{0,8}}?{JOB}|"
        r"左撇子|色盲|素食者|[^，,。不我这那来本]{2,4}人)[。！! ]*$",
        "fact",
        EXPLICIT,
        "tells about the person",
    ),
    rule(
        r"^我(?:现在|目前)?在(?!家|晚上|夜|周|早上|上午|下午|线|外|这|那|看|改|写|做|等|用|跑|查|想|学|找|修|调|测|搞|忙)(?P<value>[^，,。]{2,14}?)(?:工作|"
        r"上班|任职|就职)[。！! ]*$"
        r"|^我(?:现在|目前)?(?:就职|任职|供职)于(?P<value2>[^，,。]{2,14})[。！! ]*$",
        "fact",
        EXPLICIT,
        "tells about the person",
    ),
    rule(
        rf"^我(?:从来|平时|一般|现在|都)?(?P<value>不(?:喝|吃|抽|养)(?!了|下|起|完|饭|掉|着|到){_DEICTIC}[^，,。了]{{1,8}}|不(?:抽烟|喝酒|吃辣|熬夜|"
        rf"开车))[。！! ]*$",
        "preference",
        EXPLICIT,
        "says what is not done",
    ),
    rule(
        rf"^{_DEICTIC}(?P<value>[^，,。我你]{{2,14}}?(?:不要|不能|不得|不可以?|不应该?|不许|别|最多|至多|控制在)(?:超过|多于|少于|大于|长于|低于)?\s?"
        r"[\d一二三四五六七八九十百]+\s?(?:行|个?字符?|列|个参数|层|词|秒|分钟|毫秒|ms|MB|KB|天|次|页|个)"
        r"(?:以内|以下)?)[。！! ]*$",
        "style",
        INFERRED,
        "sets a limit for all of a kind",
    ),
    rule(
        r"^(?P<about>我(?:对.{1,10}过敏|吃素|住在|常驻|是色盲|是左撇子))(?P<value>[^，,。]*)",
        "fact",
        EXPLICIT,
        "tells about the person",
    ),
)
