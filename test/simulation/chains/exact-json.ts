/** JSON whose numbers come out as they came in: fractions, and integers that no double holds. */

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown }

const keepSource: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? rawJSON(source) : value

export const exactJson: Pick<JSON, 'parse' | 'stringify'> = {
  parse: (text: string) => JSON.parse(text, keepSource as Parameters<typeof JSON.parse>[1]) as unknown,
  stringify: JSON.stringify.bind(JSON) as JSON['stringify'],
}
