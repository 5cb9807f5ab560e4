/** Finds the declarations and uses of names in the sources. */
import {
  SymbolFlags,
  SyntaxKind,
  walk,
  type CallExpression,
  type Expression,
  type Identifier,
  type Node,
  type Sources,
  type Symbol,
  type Type,
} from './project.ts'
import { isCall, nameOf, type Function } from './syntax.ts'

/** `name: initializer`, or `name` alone, in an object literal. */
export type Assignment = Node & { readonly name: Identifier; readonly initializer?: Expression }

/** Looks up names in the files of a project. */
export class References {
  readonly #sources: Sources
  readonly #symbols = new Map<Node, Symbol | undefined>()
  readonly #callers = new Map<Function, CallExpression[]>()

  constructor(sources: Sources) {
    this.#sources = sources
  }

  /** Returns the declaration of an identifier, through imports. */
  declarationOf(node: Node): Node | undefined {
    return this.#symbolOf(node)?.valueDeclaration?.resolve()
  }

  /** Returns the declaration of the value of `{ name }`. */
  shorthandOf(node: Assignment): Node | undefined {
    const symbol = this.#sources.checker.getShorthandAssignmentValueSymbol(node)
    return symbol && this.#target(symbol).valueDeclaration?.resolve()
  }

  /** Returns the calls of a function by its name. A function that is passed as a value is not followed. */
  callersOf(declaration: Function): CallExpression[] {
    const known = this.#callers.get(declaration)
    if (known) return known
    const name = nameOf(declaration)
    const symbol = name && this.#symbolOf(name)
    const calls: CallExpression[] = []
    if (name && symbol)
      for (const node of this.#nodesWith(name.text))
        if (
          isCall(node) &&
          node.expression.kind === SyntaxKind.Identifier &&
          (node.expression as Identifier).text === name.text &&
          this.#symbolOf(node.expression)?.id === symbol.id
        )
          calls.push(node)
    this.#callers.set(declaration, calls)
    return calls
  }

  /** Returns the assignments in object literals to a property of this type. */
  assignmentsTo(type: Type, property: string): Assignment[] {
    const symbol = this.#propertyOf(type, property)
    if (symbol === undefined) return []
    const found: Assignment[] = []
    for (const node of this.#nodesWith(property)) {
      if (node.kind !== SyntaxKind.PropertyAssignment && node.kind !== SyntaxKind.ShorthandPropertyAssignment) continue
      const assignment = node as Assignment
      if (assignment.name.text !== property) continue
      const wanted = this.#sources.checker.getContextualType(assignment.parent as Expression)
      if (wanted && this.#propertyOf(wanted, property)?.id === symbol.id) found.push(assignment)
    }
    return found
  }

  #propertyOf(type: Type, property: string): Symbol | undefined {
    const { checker } = this.#sources
    return checker.getPropertyOfType(checker.getNonNullableType(type) ?? type, property)
  }

  *#nodesWith(text: string): Generator<Node> {
    for (const file of this.#sources.files.values()) if (file.text.includes(text)) yield* walk(file)
  }

  #symbolOf(node: Node): Symbol | undefined {
    if (!this.#symbols.has(node)) {
      const symbol = this.#sources.checker.getSymbolAtLocation(node)
      this.#symbols.set(node, symbol && this.#target(symbol))
    }
    return this.#symbols.get(node)
  }

  #target(symbol: Symbol): Symbol {
    return symbol.flags & SymbolFlags.Alias ? this.#sources.checker.getAliasedSymbol(symbol) : symbol
  }
}
