import { foreign, html, type Markup, type Piece } from '@bursar/checkout/html'
import { showText } from '../../merchants/documents/index.ts'
import {
  duplicatesIn,
  FILE_COLUMNS,
  judgePayouts,
  lineOf,
  PayoutProblem,
  readPayoutFile,
  requestPayouts,
  totalsOf,
  type FieldProblem,
  type JudgedPayout,
  type PayoutLine,
  type TypedPayout,
} from '../../pay-out/requests/index.ts'
import type { Priced } from '../../pay-out/withdrawals/index.ts'
import { hidden, linkTo, merchantPath, redirect } from '../../people/pages/index.ts'
import type { PageAnswer, PageRequest } from '../../platform/api/page.ts'
import { isUuid } from '../../platform/base/id.ts'
import { inTransaction } from '../../platform/db/index.ts'
import { csvLine } from '../../platform/lists/csv.ts'
import { merchantPage, table, type Scope, type Submitted } from '../frame/index.ts'
import { EXAMPLE, pathOfRequest, type PayoutPagesDeps } from './deps.ts'
import { FEES, hasRisen, shownFees } from './fees.ts'
import { amountOf, backPiece, type Said, saidPiece, textsOf } from './pieces.ts'
import type { PayoutWords } from './words/index.ts'

/** Lines that a page shows. */
const MOST_SHOWN = 100
const LONGEST_NAME = 80

/** The form that takes a file of payouts. */
export const filePage =
  () =>
  async (scope: Scope): Promise<PageAnswer> =>
    formPage(scope, undefined)

const formPage = (scope: Scope, said: Said | undefined, more?: Piece): PageAnswer => {
  const { visit, merchantId } = scope
  const texts = textsOf(scope)
  return merchantPage(scope, {
    title: texts.uploadTitle,
    part: 'payouts',
    status: said?.isProblem === true ? 400 : 200,
    actions: backPiece(scope),
    sections: [
      saidPiece(said),
      more,
      html`<form method="post" enctype="multipart/form-data" class="panel" action="${linkTo(visit, visit.path)}"><p>${texts.uploadText}</p><p>${texts.columns}: <code>${FILE_COLUMNS.join(', ')}</code></p>
<p><a href="${linkTo(visit, merchantPath(merchantId, EXAMPLE))}">${texts.example}</a></p>
<div class="field"><label class="name" for="file">${texts.fileField}</label><input type="file" id="file" name="file" accept=".csv,text/csv" required></div><div class="ask"><button>${texts.uploadCheck}</button></div></form>`,
    ],
  })
}

/** A file with two payouts of assets that the installation serves. */
export const exampleFile =
  ({ rules }: PayoutPagesDeps) =>
  async (): Promise<PageAnswer> => {
    const rows = rules.catalogue.crypto.slice(0, 2).map(({ ticker, networks }, index) => {
      const [network = ''] = networks.keys()
      return [ticker, network, '', '1.5', `invoice ${index + 1}`]
    })
    return {
      status: 200,
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="payouts.csv"',
      },
      body: [[...FILE_COLUMNS], ...rows].map(csvLine).join(''),
    }
  }

interface Uploaded {
  name: string
  text: string
  /** of the page that showed the file; undefined: the file was not shown yet */
  formKey: string | undefined
  /** of the same page */
  fees: string
}

/** The fields of a form of type `multipart/form-data`; undefined if it is none, or its text is not UTF-8. */
const uploadedIn = async ({ body, headers }: PageRequest): Promise<Uploaded | undefined> => {
  try {
    const init = { headers: { 'content-type': headers['content-type'] ?? '' } }
    const form = await new Response(new Uint8Array(body), init).formData()
    const [file, csv, name, key, fees] = ['file', 'csv', 'name', 'form-key', FEES].map((field) => form.get(field))
    const text =
      typeof csv === 'string'
        ? csv
        : file instanceof Blob
          ? new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
          : undefined
    if (text === undefined || text.includes('\0')) return undefined
    const shown = typeof name === 'string' ? name : file instanceof File ? file.name : ''
    return {
      name: showText(shown, LONGEST_NAME) || 'payouts.csv',
      text,
      formKey: typeof key === 'string' && isUuid(key) ? key : undefined,
      fees: typeof fees === 'string' ? fees : '',
    }
  } catch {
    return undefined
  }
}

/** Shows a file with the problems and fees of its payouts, or requests the payouts of the file that was shown. */
export const submitFile =
  (deps: PayoutPagesDeps) =>
  async ({ scope, session }: Submitted): Promise<PageAnswer> => {
    const { visit, merchantId, request } = scope
    const texts = textsOf(scope)
    const uploaded = await uploadedIn(request)
    const read = uploaded ? readPayoutFile(uploaded.text) : { trouble: 'broken' as const }
    if (!uploaded || 'trouble' in read)
      return formPage(scope, { isProblem: true, text: texts.fileTroubles['trouble' in read ? read.trouble : 'broken'] })
    const { payouts } = read
    const judged = await judgePayouts(deps.db, merchantId, payouts, deps.rules, visit.now.real.getTime())
    const lines = judged.flatMap((one, index) =>
      'priced' in one ? [lineOf(one.priced, index + 1, payouts[index]!.meta)] : [],
    )
    if (lines.length < payouts.length) return problemPage(scope, payouts, judged)
    if (uploaded.formKey === undefined) return checkedPage(deps, scope, uploaded, lines, judged)
    if (hasRisen(pricedIn(judged), uploaded.fees))
      return checkedPage(deps, scope, uploaded, lines, judged, { isProblem: true, text: texts.feeRose })
    try {
      const given = { merchantId, kind: 'file', name: uploaded.name, formKey: uploaded.formKey, lines } as const
      const id = await inTransaction(deps.db, (tx) => requestPayouts(tx, session, given, visit.now))
      return redirect(linkTo(visit, merchantPath(merchantId, pathOfRequest(id))))
    } catch (error) {
      if (!(error instanceof PayoutProblem)) throw error
      return formPage(scope, { isProblem: true, text: texts.troubles[error.trouble] })
    }
  }

const problemPage = (scope: Scope, payouts: readonly TypedPayout[], judged: readonly JudgedPayout[]): PageAnswer => {
  const texts = textsOf(scope)
  const wrong = judged.flatMap((one, index) =>
    'problems' in one ? [{ number: index + 1, problems: one.problems }] : [],
  )
  const rows = wrong
    .slice(0, MOST_SHOWN)
    .map(({ number, problems }) => [
      String(number + 1),
      html`<span class="hash">${foreign(showText(payouts[number - 1]!.to, LONGEST_NAME))}</span>`,
      problems.map((one) => problemPiece(texts, one)),
    ])
  return formPage(
    scope,
    { isProblem: true, text: texts.rowsWrong(wrong.length) },
    html`<section class="panel"><h2>${texts.problemsTitle}</h2>${table(
      texts.problemsTitle,
      [{ title: texts.row, isNumber: true }, { title: texts.to }, { title: texts.reason }],
      rows,
    )}</section>`,
  )
}

const problemPiece = (texts: PayoutWords, { field, detail }: FieldProblem): Markup =>
  html`<div>${texts.problems[field]}${detail !== undefined && html` <span class="soft" lang="en">${foreign(showText(detail, 200))}</span>`}</div>`

const pricedIn = (judged: readonly JudgedPayout[]): Priced[] =>
  judged.flatMap((one) => ('priced' in one ? [one.priced] : []))

const checkedPage = (
  { rules, runtime }: PayoutPagesDeps,
  scope: Scope,
  { name, text }: Uploaded,
  lines: readonly PayoutLine[],
  judged: readonly JudgedPayout[],
  said?: Said,
): PageAnswer => {
  const { visit } = scope
  const texts = textsOf(scope)
  const priced = pricedIn(judged)
  const sumsOf = (units: (one: (typeof priced)[number]) => bigint): Map<string, bigint> =>
    totalsOf(priced.map((one) => ({ ticker: one.place.where.asset.ticker, units: units(one) })))
  const [amounts, fees] = [sumsOf(({ units }) => units), sumsOf(({ fee }) => fee)]
  const show = (ticker: string, units: bigint): Markup => amountOf(scope, rules.catalogue, ticker, units)
  const duplicates = duplicatesIn(lines)
  const count = duplicates.filter((one) => one !== undefined).length
  return merchantPage(scope, {
    title: texts.file(name, lines.length),
    part: 'payouts',
    status: said ? 400 : 200,
    actions: backPiece(scope),
    sections: [
      saidPiece(said),
      html`<form method="post" enctype="multipart/form-data" class="panel" action="${linkTo(visit, visit.path)}"><p>${texts.checkText}</p>${table(
        texts.total,
        [
          { title: texts.assetName },
          { title: texts.amount, isNumber: true },
          { title: texts.fee, isNumber: true },
          { title: texts.total, isNumber: true, isFar: true },
        ],
        [...amounts].map(([ticker, units]) => {
          const fee = fees.get(ticker) ?? 0n
          return [ticker, show(ticker, units), show(ticker, fee), show(ticker, units + fee)]
        }),
      )}${count > 0 && html`<p class="wrong" role="status">${texts.duplicates(count)}</p>`}<p class="soft">${texts.feeText}</p>${hidden('csv', text)}${hidden('name', name)}${hidden('form-key', runtime.newId())}${hidden(FEES, shownFees(priced))}<div class="ask"><button>${texts.ask}</button></div></form>`,
      html`<section><h2>${texts.lines}</h2>${table(
        texts.lines,
        [{ title: texts.row, isNumber: true }, { title: texts.to }, { title: texts.amount, isNumber: true }],
        priced.map(({ place, units }, index) => [
          String(index + 2),
          html`<span class="hash">${foreign(place.to)}</span>${duplicates[index] !== undefined && html`<br><span class="wrong">${texts.duplicate(duplicates[index] + 1)}</span>`}`,
          show(place.where.asset.ticker, units),
        ]),
      )}</section>`,
    ],
  })
}
