import type { Language } from '../../platform/base/language.ts'

/** The texts of the page about refused requests. */
export interface RequestWords {
  intro: string
  none: string
  noneText: string
  request: string
  answer: string
  key: string
  mainKey: string
  unsigned: string
  unsignedText: string
  from: (address: string) => string
}

export const REQUEST_WORDS: Record<Language, RequestWords> = {
  en: {
    intro:
      'The newest requests of the last 30 days that the API refused, with the reasons that it answered: at most 1,000 that you signed, and 200 without a valid signature. A refused request has changed nothing, unless its status is 500 or higher.',
    none: 'No refused requests',
    noneText: 'The API has refused no request of this merchant. A request appears here some seconds after its answer.',
    request: 'Request',
    answer: 'Answer',
    key: 'Signed by',
    mainKey: 'main key',
    unsigned: 'no valid signature',
    unsignedText: 'It names this merchant, but anyone may have sent it.',
    from: (address) => `from ${address}`,
  },
  uk: {
    intro:
      'Найновіші запити за останні 30 днів, які API відхилив, і причини, які він назвав: щонайбільше 1000 підписаних вами і 200 без дійсного підпису. Відхилений запит нічого не змінив, якщо його статус менший за 500.',
    none: 'Відхилених запитів немає',
    noneText: 'API не відхилив жодного запиту цього продавця. Запит з’являється тут за кілька секунд після відповіді.',
    request: 'Запит',
    answer: 'Відповідь',
    key: 'Підписано',
    mainKey: 'основний ключ',
    unsigned: 'немає дійсного підпису',
    unsignedText: 'У запиті вказано цього продавця, але надіслати його міг будь-хто.',
    from: (address) => `з ${address}`,
  },
  kk: {
    intro:
      'Соңғы 30 күнде API қабылдамаған ең жаңа сұраулар және ол атаған себептер: сіз қол қойған ең көбі 1000 және жарамды қолтаңбасыз 200 сұрау. Күйі 500-ден кіші болса, қабылданбаған сұрау ештеңені өзгерткен жоқ.',
    none: 'Қабылданбаған сұраулар жоқ',
    noneText:
      'API осы сатушының бірде-бір сұрауын кері қайтарған жоқ. Сұрау жауаптан бірнеше секундтан кейін осында шығады.',
    request: 'Сұрау',
    answer: 'Жауап',
    key: 'Қол қойған',
    mainKey: 'негізгі кілт',
    unsigned: 'жарамды қолтаңба жоқ',
    unsignedText: 'Сұрауда осы сатушы көрсетілген, бірақ оны кез келген адам жібере алады.',
    from: (address) => `${address} мекенжайынан`,
  },
  ru: {
    intro:
      'Новейшие запросы за последние 30 дней, которые API отклонил, и причины, которые он назвал: не более 1000 подписанных вами и 200 без действительной подписи. Отклонённый запрос ничего не изменил, если его статус меньше 500.',
    none: 'Отклонённых запросов нет',
    noneText:
      'API не отклонил ни одного запроса этого продавца. Запрос появляется здесь через несколько секунд после ответа.',
    request: 'Запрос',
    answer: 'Ответ',
    key: 'Подписан',
    mainKey: 'основной ключ',
    unsigned: 'нет действительной подписи',
    unsignedText: 'В запросе указан этот продавец, но отправить его мог кто угодно.',
    from: (address) => `с ${address}`,
  },
}
