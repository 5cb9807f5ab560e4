import { html, type Markup } from '../html.ts'
import { ICONS } from '../icons.ts'
import type { Scene } from '../panel.ts'
import { note } from '../parts.ts'
import type { OpenState, PaymentOption } from '../view.ts'

/** Currencies are options without a network. */
export const isCurrency = ({ options }: OpenState): boolean => options.every(({ blockchain }) => blockchain === '')

/**
 * The options to pay with: one row an asset. An asset on several networks is a disclosure with its networks, so that
 * the payer chooses the asset first. @param problem text beside the field, if nothing valid was chosen
 */
export const optionChoices = (
  scene: Scene<OpenState>,
  { isWrong, problem }: { isWrong: boolean; problem: Markup | undefined },
): Markup | undefined => {
  const { state, words } = scene
  const { options } = state
  const [only] = options
  if (only === undefined) return undefined
  if (options.length === 1)
    return html`<input type="hidden" name="choice" value="${valueOf(only)}">${note('calm', ICONS.leave, html`<strong>${only.assetName} (${only.ticker})</strong>`, only.networkName !== '' && words.onNetwork(only.networkName))}`
  const assets = [...Map.groupBy(options, ({ ticker }) => ticker).values()]
  const rows = assets.map((of) =>
    of.length === 1 || assets.length === 1 ? of.map((one) => choice(scene, one, isWrong)) : asset(scene, of, isWrong),
  )
  const list = html`${problem}<div class="choices">${rows}</div>`
  if (isCurrency(state))
    return html`<fieldset id="choices" tabindex="-1"><legend class="unseen">${words.chooseCurrency}</legend>${list}</fieldset>`
  return html`<fieldset id="choices" tabindex="-1" aria-describedby="choose"><legend class="unseen">${words.chooseTitle}</legend><p class="soft" id="choose">${words.chooseHint}</p>${list}</fieldset>`
}

const valueOf = ({ ticker, blockchain }: PaymentOption): string => `${ticker}:${blockchain}`

/** An asset on several networks: its name, and the amount where that is the same on all of them. */
const asset = (scene: Scene<OpenState>, options: readonly PaymentOption[], isWrong: boolean): Markup => {
  const { ticker, assetName } = options[0]!
  const amounts = new Set(options.map((option) => amountOf(scene, option)))
  const isOne = amounts.size === 1
  const networks = options.map(({ networkName }) => networkName.replace(/ \(.*/, '')).join(', ')
  const isOpen = options.some((option) => valueOf(option) === scene.state.given?.choice)
  const body = html`<summary><span class="choice"><span><b>${ticker}</b> ${assetName}<span class="soft">${networks}</span></span>${isOne && far([...amounts][0])}</span></summary><div class="choices">${options.map((option) => network(scene, option, !isOne, isWrong))}</div>`
  return isOpen ? html`<details class="asset" open>${body}</details>` : html`<details class="asset">${body}</details>`
}

const network = (scene: Scene<OpenState>, option: PaymentOption, showsAmount: boolean, isWrong: boolean): Markup =>
  html`<label class="choice">${radio(scene, option, isWrong)}<span>${option.networkName}<span class="soft">${costText(scene, option, '')}</span></span>${showsAmount && far(amountOf(scene, option))}</label>`

const choice = (scene: Scene<OpenState>, option: PaymentOption, isWrong: boolean): Markup => {
  const { ticker, assetName, networkName } = option
  const on =
    networkName !== '' &&
    html`<span class="soft">${scene.words.onNetwork(networkName)}${costText(scene, option, ' · ')}</span>`
  return html`<label class="choice">${radio(scene, option, isWrong)}<span><b>${ticker}</b> ${assetName}${on}</span>${far(amountOf(scene, option))}</label>`
}

const far = (text: string | undefined): Markup | undefined =>
  text === undefined ? undefined : html`<span class="soft far">${text}</span>`

/** The usual time to the credit, and the network's fee. */
const costText = (
  { words, amount }: Scene<OpenState>,
  { wait, fee }: PaymentOption,
  separator: string,
): string | undefined => {
  const parts = [wait && words.usualTime(wait.least, wait.most), fee && words.networkFee(amount(fee))]
  const text = parts.filter((part) => part !== undefined).join(' · ')
  return text === '' ? undefined : `${separator}${text}`
}

/** The exact or estimated amount, or the limits of the amount that the payer enters. */
const amountOf = ({ words, amount }: Scene<OpenState>, option: PaymentOption): string | undefined => {
  const { ticker, exact, about, least, most } = option
  const text = (value: string): string => amount({ value, ticker })
  if (exact !== undefined) return text(exact)
  if (about !== undefined) return words.about(text(about))
  if (least === undefined) return undefined
  return most === undefined ? words.from(text(least)) : words.between(text(least), text(most))
}

const radio = ({ state }: Scene<OpenState>, option: PaymentOption, isWrong: boolean): Markup => {
  const value = valueOf(option)
  if (state.given?.choice === value) return html`<input type="radio" name="choice" value="${value}" required checked>`
  if (!isWrong) return html`<input type="radio" name="choice" value="${value}" required aria-invalid="false">`
  return html`<input type="radio" name="choice" value="${value}" required aria-invalid="true" aria-describedby="choice-problem">`
}
