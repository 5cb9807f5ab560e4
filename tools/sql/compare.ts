/** Compares the columns of a result with the members of `Row` in `sql<Row>`. */
import type { ColumnType } from './catalog.ts'
import type { Column } from './relations.ts'
import type { Member } from './rows.ts'

export interface ResultColumn extends Column {
  readonly type: ColumnType
}

/** Returns the differences, each as a sentence that says what to change. */
export const compareRow = (columns: readonly ResultColumn[], members: readonly Member[]): string[] => [
  ...twice(columns),
  ...columns
    .filter(({ name }) => !members.some((member) => member.name === name))
    .map(({ name }) => `${name} is selected, and the row does not have it: add it there, or do not select it`),
  ...members.flatMap((member) => {
    const column = columns.find(({ name }) => name === member.name)
    if (column) return compareColumn(column, member)
    if (member.isOptional) return []
    return [`the row has ${member.name}, which the statement does not give: select it, or take it out of the row`]
  }),
]

const twice = (columns: readonly ResultColumn[]): string[] =>
  columns
    .filter(({ name }, index) => columns.findIndex((other) => other.name === name) < index)
    .map(({ name }) => `two columns are called ${name}, and the driver keeps the last: give one another name`)

const compareColumn = ({ name, type, null: why }: ResultColumn, member: Member): string[] => {
  const found: string[] = []
  if (!canHold(member.kinds, type.javascript)) {
    const said = [...member.kinds].join(' | ')
    found.push(
      `${name} is ${type.name}, which the driver reads as ${type.javascript}, and the row says ${said}: write ${type.javascript} there, or cast the column`,
    )
  }
  if (why !== undefined && !member.canBeNull)
    found.push(
      `${name} can be null (${why}), and the row does not say so: write \`| null\` there, or have the statement rule it out`,
    )
  return found
}

const canHold = (kinds: ReadonlySet<string>, javascript: string): boolean => {
  if (kinds.has('anything') || kinds.has(javascript)) return true
  if (javascript === 'json') return true
  if (javascript.endsWith('[]'))
    return kinds.has('anything[]') || (javascript === 'json[]' && [...kinds].every((kind) => kind.endsWith('[]')))
  return false
}
