import type { Language } from '../../platform/base/language.ts'

/** The texts of the page about requests. */
export interface RequestWords {
  counts: string
  countsText: string
  operation: string
  day: string
  week: string
  ofThem: string
  mean: string
  slowest: string
  ms: (ms: number) => string
  refused: string
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
    counts: 'Requests of seven days',
    countsText:
      'Requests with a valid signature, by operation and key, the most frequent first. Counts are a minute late. The time is that of the server, without the network.',
    operation: 'Operation and key',
    day: '24 hours',
    week: '7 days',
    ofThem: 'Refused',
    mean: 'Mean time',
    slowest: 'Slowest',
    ms: (ms) => `${ms} ms`,
    refused: 'Refused requests',
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
    counts: 'Запити за сім днів',
    countsText:
      'Запити з дійсним підписом за операціями та ключами, найчастіші спочатку. Підрахунок запізнюється на хвилину. Час — це час сервера без мережі.',
    operation: 'Операція та ключ',
    day: '24 години',
    week: '7 днів',
    ofThem: 'Відхилено',
    mean: 'Середній час',
    slowest: 'Найповільніший',
    ms: (ms) => `${ms} мс`,
    refused: 'Відхилені запити',
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
    counts: 'Жеті күндегі сұраулар',
    countsText:
      'Жарамды қолтаңбасы бар сұраулар операция мен кілт бойынша, ең жиісі бірінші. Санақ бір минутқа кешігеді. Уақыт — желісіз, сервердің уақыты.',
    operation: 'Операция мен кілт',
    day: '24 сағат',
    week: '7 күн',
    ofThem: 'Қабылданбағаны',
    mean: 'Орташа уақыт',
    slowest: 'Ең баяуы',
    ms: (ms) => `${ms} мс`,
    refused: 'Қабылданбаған сұраулар',
    intro:
      'Соңғы 30 күнде API қабылдамаған ең жаңа сұраулар және ол атаған себептер: сіз қол қойған ең көбі 1000 және жарамды қолтаңбасыз 200 сұрау. Күйі 500-ден кіші болса, қабылданбаған сұрау ештеңені өзгерткен жоқ.',
    none: 'Қабылданбаған сұраулар жоқ',
    noneText: 'API осы сатушының барлық сұрауын қабылдады. Сұрау жауаптан бірнеше секундтан кейін осында шығады.',
    request: 'Сұрау',
    answer: 'Жауап',
    key: 'Қол қойған',
    mainKey: 'негізгі кілт',
    unsigned: 'жарамды қолтаңба жоқ',
    unsignedText: 'Сұрауда осы сатушы көрсетілген, бірақ оны кез келген адам жібере алады.',
    from: (address) => `${address} мекенжайынан`,
  },
  ru: {
    counts: 'Запросы за семь дней',
    countsText:
      'Запросы с действительной подписью по операциям и ключам, самые частые сначала. Подсчёт запаздывает на минуту. Время — это время сервера без сети.',
    operation: 'Операция и ключ',
    day: '24 часа',
    week: '7 дней',
    ofThem: 'Отклонено',
    mean: 'Среднее время',
    slowest: 'Самый медленный',
    ms: (ms) => `${ms} мс`,
    refused: 'Отклонённые запросы',
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
