/** Reads the members of `Row` in `sql<Row>` in the form in which they are compared with columns. */
import { SymbolFlags, TypeFlags, type Sources, type Type } from './project.ts'

/** A TypeScript type as a set of kinds: those of `ColumnType.javascript`, and `anything`. */
export interface Kinds {
  readonly kinds: ReadonlySet<string>
  readonly canBeNull: boolean
  readonly canBeUndefined: boolean
}

export interface Member extends Kinds {
  readonly name: string
  readonly isOptional: boolean
}

/** Returns the members of a row; undefined for a type without known members, such as `unknown`. */
export const membersOf = (row: Type, { checker }: Sources): Member[] | undefined => {
  if (row.flags & (TypeFlags.Any | TypeFlags.Unknown)) return undefined
  if (checker.getIndexInfosOfType(row).length > 0) return undefined
  return checker.getPropertiesOfType(row).map((symbol) => ({
    name: symbol.name,
    isOptional: (symbol.flags & SymbolFlags.Optional) !== 0,
    ...kindsOf(checker.getTypeOfSymbol(symbol)!, checker),
  }))
}

/** Returns the kinds of a type's values. */
export const kindsOf = (type: Type, checker: Sources['checker']): Kinds => {
  const among = type.isUnionType() ? type.getTypes() : [type]
  const isAny = among.some(({ flags }) => (flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0)
  const has = (flag: TypeFlags): boolean => among.some(({ flags }) => (flags & flag) !== 0)
  return {
    kinds: new Set(among.flatMap((each) => kindOf(each, checker))),
    canBeNull: isAny || has(TypeFlags.Null),
    canBeUndefined: isAny || has(TypeFlags.Undefined | TypeFlags.Void),
  }
}

const kindOf = (type: Type, checker: Sources['checker']): string[] => {
  const { flags } = type
  if (flags & (TypeFlags.Null | TypeFlags.Undefined | TypeFlags.Never)) return []
  if (flags & (TypeFlags.Any | TypeFlags.Unknown)) return ['anything']
  if (flags & TypeFlags.StringLike) return ['string']
  if (flags & TypeFlags.NumberLike) return ['number']
  if (flags & TypeFlags.BigIntLike) return ['bigint']
  if (flags & TypeFlags.BooleanLike) return ['boolean']
  // A branded string is a string.
  if (type.isIntersectionType())
    return type
      .getTypes()
      .flatMap((each) => kindOf(each, checker))
      .slice(0, 1)
  if (type.isTypeParameter()) {
    const limit = checker.getBaseConstraintOfType(type)
    return limit ? [...kindsOf(limit, checker).kinds] : ['anything']
  }
  const name = type.getSymbol()?.name
  if (name === 'Date') return ['Date']
  if (name === 'Buffer' || name === 'Uint8Array') return ['bytes']
  if (type.isTypeReference() && checker.isArrayLikeType(type)) {
    const element = checker.getTypeArguments(type)[0]
    return element ? [...kindsOf(element, checker).kinds].map((kind) => `${kind}[]`) : ['anything[]']
  }
  return ['object']
}

/** Returns the element type of an array type; undefined for any other type. */
export const elementOf = (type: Type, checker: Sources['checker']): Type | undefined => {
  const present = checker.getNonNullableType(type) ?? type
  return present.isTypeReference() && checker.isArrayLikeType(present)
    ? checker.getTypeArguments(present)[0]
    : undefined
}
