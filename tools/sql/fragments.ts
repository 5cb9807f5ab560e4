/**
 * Finds the texts that an SQL expression can become: kysely's `sql` templates with their fragments, from constants,
 * functions, parameters and imports. No code runs: each branch of a decision at run time is an alternative. Functions
 * that are passed as values are not followed.
 */
import {
  SyntaxKind,
  type BinaryExpression,
  type BindingElement,
  type CallExpression,
  type ConditionalExpression,
  type ElementAccessExpression,
  type Expression,
  type Identifier,
  type Node,
  type ObjectLiteralExpression,
  type ParameterDeclaration,
  type ParenthesizedExpression,
  type PropertyAccessExpression,
  type Sources,
  type TaggedTemplateExpression,
  type Type,
  type VariableDeclaration,
} from './project.ts'
import { References, type Assignment } from './references.ts'
import { combine, isSqlTemplate, keyOf, partsOf, returnsOf, SPELLED, sqlMethodOf, type Function } from './syntax.ts'
import { identityOf, type Piece, type Sql } from './text.ts'
import { CallerNeeded, Unresolved, type Atom, type Scope } from './values.ts'

const DEEPEST = 25

/** Resolves expressions in the files of a project. */
export class Fragments {
  readonly #sources: Sources
  readonly #standIns: (node: Node) => string | undefined
  readonly #references: References
  /** The caller that is assumed for a function. */
  readonly #assumed = new Map<Function, CallExpression>()
  #depth = 0

  /** Templates that are part of a statement, by `keyOf`. */
  readonly reached = new Set<string>()

  /** @param standIns returns the text to use for an expression, or undefined */
  constructor(sources: Sources, standIns: (node: Node) => string | undefined) {
    this.#sources = sources
    this.#references = new References(sources)
    this.#standIns = standIns
  }

  /** Returns the texts that an expression can become. @throws Unresolved */
  alternatives(expression: Expression): Sql[] {
    const found = this.#underEachCaller(() => this.#evaluate(expression, new Map()))
    const all = found.flatMap((atom) => (atom.kind === 'sql' ? [atom.sql] : []))
    if (all.length === 0) throw new Unresolved(expression, 'no template is found')
    return [...new Map(all.map((sql) => [identityOf(sql), sql])).values()]
  }

  /** Repeats the work for each caller of the functions whose parameters it needs, and joins the results. */
  #underEachCaller(work: () => Atom[]): Atom[] {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof CallerNeeded) || this.#assumed.size > 6) throw error
      const calls = this.#references.callersOf(error.declaration)
      if (calls.length === 0) throw new Unresolved(error.declaration, 'no call of this function is found')
      return calls.flatMap((call) => {
        this.#assumed.set(error.declaration, call)
        try {
          return this.#underEachCaller(work)
        } finally {
          this.#assumed.delete(error.declaration)
        }
      })
    }
  }

  #evaluate(node: Node, scope: Scope): Atom[] {
    const standIn = this.#standIns(node)
    if (standIn !== undefined) return [{ kind: 'text', text: standIn }]
    if (this.#depth > DEEPEST) throw new Unresolved(node, 'too deep')
    this.#depth += 1
    try {
      return this.#evaluateKind(node, scope)
    } finally {
      this.#depth -= 1
    }
  }

  #evaluateKind(node: Node, scope: Scope): Atom[] {
    switch (node.kind) {
      case SyntaxKind.ParenthesizedExpression:
      case SyntaxKind.AsExpression:
      case SyntaxKind.SatisfiesExpression:
      case SyntaxKind.NonNullExpression:
      case SyntaxKind.AwaitExpression:
        return this.#evaluate((node as Node & { expression: Expression }).expression, scope)
      case SyntaxKind.ConditionalExpression:
        return this.#branches(node as ConditionalExpression, scope).flatMap((branch) => this.#evaluate(branch, scope))
      case SyntaxKind.BinaryExpression: {
        const { left, right, operatorToken } = node as BinaryExpression
        if (operatorToken.kind === SyntaxKind.QuestionQuestionToken || operatorToken.kind === SyntaxKind.BarBarToken)
          return [
            ...this.#evaluate(left, scope).filter(({ kind }) => kind !== 'nothing'),
            ...this.#evaluate(right, scope),
          ]
        break
      }
      case SyntaxKind.NullKeyword:
        return [{ kind: 'nothing' }]
      case SyntaxKind.StringLiteral:
      case SyntaxKind.NoSubstitutionTemplateLiteral:
        return [{ kind: 'text', text: (node as Node & { text: string }).text }]
      case SyntaxKind.TemplateExpression: {
        return combine<never>(partsOf(node), (hole) => this.#texts(hole, scope).map((text) => [text])).map((texts) => ({
          kind: 'text',
          text: texts.join(''),
        }))
      }
      case SyntaxKind.TaggedTemplateExpression:
        if (isSqlTemplate(node)) return this.#template(node, scope).map((sql) => ({ kind: 'sql', sql }))
        break
      case SyntaxKind.ObjectLiteralExpression:
        return [{ kind: 'object', node: node as ObjectLiteralExpression, scope }]
      case SyntaxKind.ArrayLiteralExpression: {
        const { elements } = node as Node & { elements: readonly Expression[] }
        return [{ kind: 'list', atoms: elements.flatMap((element) => this.#evaluate(element, scope)) }]
      }
      case SyntaxKind.ArrowFunction:
      case SyntaxKind.FunctionDeclaration:
        return [{ kind: 'function', node: node as Function, scope }]
      case SyntaxKind.Identifier:
        return this.#identifier(node as Identifier, scope)
      case SyntaxKind.PropertyAccessExpression:
        return this.#propertyAccess(node as PropertyAccessExpression, scope)
      case SyntaxKind.ElementAccessExpression:
        return this.#elementAccess(node as ElementAccessExpression, scope)
      case SyntaxKind.CallExpression:
        return this.#call(node as CallExpression, scope)
      default:
    }
    return this.#byType(node)
  }

  /** Fills the holes of a template. Holes with the same condition have their alternatives in the same order. */
  #template(node: TaggedTemplateExpression, scope: Scope): Sql[] {
    this.reached.add(keyOf(node))
    return combine(partsOf(node.template), (hole) => this.#hole(hole, scope)).map((pieces) => ({
      pieces,
      template: node,
    }))
  }

  #hole(node: Expression, scope: Scope): Piece[][] {
    if (node.kind === SyntaxKind.ParenthesizedExpression)
      return this.#hole((node as ParenthesizedExpression).expression, scope)
    if (!this.#isSql(node)) return [[{ value: node }]]
    if (node.kind === SyntaxKind.ConditionalExpression)
      return this.#branches(node as ConditionalExpression, scope).flatMap((branch) => this.#hole(branch, scope))
    if (node.kind === SyntaxKind.BinaryExpression) {
      const { left, right } = node as BinaryExpression
      return [...this.#hole(left, scope), ...this.#hole(right, scope)]
    }
    const found = this.#evaluate(node, scope).flatMap((atom) => (atom.kind === 'sql' ? [[...atom.sql.pieces]] : []))
    if (found.length === 0) throw new Unresolved(node, 'nothing is found that this fragment can be')
    return found
  }

  /** Returns the possible branches: a single one if the condition tests for an argument whose presence is known. */
  #branches({ condition, whenTrue, whenFalse }: ConditionalExpression, scope: Scope): Expression[] {
    const { left, right, operatorToken } = condition as BinaryExpression
    const isSame = operatorToken?.kind === SyntaxKind.EqualsEqualsEqualsToken
    const isOther = operatorToken?.kind === SyntaxKind.ExclamationEqualsEqualsToken
    const isCompared = (isSame || isOther) && (right as Identifier).text === 'undefined'
    const given = this.#isGiven(isCompared ? left : condition, scope)
    if (given === undefined) return [whenTrue, whenFalse]
    return [given === (isCompared && isSame) ? whenFalse : whenTrue]
  }

  #isGiven(node: Expression, scope: Scope): boolean | undefined {
    if (node.kind !== SyntaxKind.Identifier || !this.#isSql(node)) return undefined
    const kinds = this.#evaluate(node, scope).map(({ kind }) => kind !== 'nothing')
    return kinds.every(Boolean) ? true : kinds.some(Boolean) ? undefined : false
  }

  /** Whether kysely treats an expression as SQL rather than as a value. */
  #isSql(node: Expression): boolean {
    const type = this.#sources.checker.getTypeAtLocation(node)
    const among = type?.isUnionType() ? type.getTypes() : type ? [type] : []
    return among.some((each) => each.getSymbol()?.name === 'RawBuilder')
  }

  #texts(node: Expression, scope: Scope): string[] {
    return this.#evaluate(node, scope).map((atom) => {
      if (atom.kind !== 'text') throw new Unresolved(node, 'this text is known at run time only')
      return atom.text
    })
  }

  #call(node: CallExpression, scope: Scope): Atom[] {
    const method = sqlMethodOf(node)
    if (method !== undefined) return this.#sqlMethod(method, node, scope)
    const callees = this.#evaluate(node.expression, scope)
    return callees.flatMap((callee) => {
      if (callee.kind !== 'function') throw new Unresolved(node, 'this function is known at run time only')
      const inner = new Map(callee.scope)
      callee.node.parameters.forEach((parameter, index) => {
        const argument = node.arguments[index]
        const bound = argument
          ? () => this.#evaluate(argument, scope)
          : parameter.initializer
            ? () => this.#evaluate(parameter.initializer!, inner)
            : (): Atom[] => [{ kind: 'nothing' }]
        inner.set(keyOf(parameter), bound)
      })
      return returnsOf(callee.node).flatMap((result) => this.#evaluate(result, inner))
    })
  }

  #sqlMethod(method: string, node: CallExpression, scope: Scope): Atom[] {
    const [argument] = node.arguments
    const spelled = SPELLED[method]
    if (spelled === undefined || argument === undefined)
      throw new Unresolved(node, `sql.${method} is not known to this check`)
    return this.#texts(argument, scope).map((text) => ({
      kind: 'sql',
      sql: { pieces: [spelled(text)], template: node },
    }))
  }

  #identifier(node: Identifier, scope: Scope): Atom[] {
    if (node.text === 'undefined') return [{ kind: 'nothing' }]
    return this.#declared(this.#references.declarationOf(node), node, scope)
  }

  /** Returns the values of a name, by the kind of its declaration. */
  #declared(declaration: Node | undefined, name: Identifier, scope: Scope): Atom[] {
    switch (declaration?.kind) {
      case SyntaxKind.VariableDeclaration:
        return this.#variable(declaration as VariableDeclaration, name, scope)
      case SyntaxKind.FunctionDeclaration:
        return this.#evaluate(declaration, scope)
      case SyntaxKind.Parameter:
        return this.#parameter(declaration as ParameterDeclaration, scope)
      case SyntaxKind.BindingElement:
        return this.#bound(declaration as BindingElement, scope)
      default:
        return this.#byType(name)
    }
  }

  #variable(declaration: VariableDeclaration, node: Node, scope: Scope): Atom[] {
    const loop = declaration.parent.parent
    if (loop.kind === SyntaxKind.ForOfStatement)
      return this.#evaluate((loop as Node & { expression: Expression }).expression, scope).flatMap((atom) => {
        if (atom.kind !== 'list') throw new Unresolved(node, 'this list is known at run time only')
        return atom.atoms
      })
    if (declaration.initializer === undefined) return this.#byType(node)
    return this.#evaluate(declaration.initializer, scope)
  }

  #parameter(declaration: ParameterDeclaration, scope: Scope): Atom[] {
    const bound = scope.get(keyOf(declaration))
    if (bound) return bound()
    const declared = declaration.parent as Function
    const call = this.#assumed.get(declared)
    if (call === undefined) throw new CallerNeeded(declared)
    const argument = call.arguments[declared.parameters.indexOf(declaration)]
    if (argument) return this.#evaluate(argument, new Map())
    if (declaration.initializer) return this.#evaluate(declaration.initializer, scope)
    return [{ kind: 'nothing' }]
  }

  #bound(element: BindingElement, scope: Scope): Atom[] {
    const property = ((element.propertyName ?? element.name) as Identifier).text
    const owner = element.parent.parent
    try {
      const whole =
        owner.kind === SyntaxKind.BindingElement
          ? this.#bound(owner as BindingElement, scope)
          : owner.kind === SyntaxKind.Parameter
            ? this.#parameter(owner as ParameterDeclaration, scope)
            : this.#variable(owner as VariableDeclaration, element, scope)
      const found = whole.flatMap((atom) => this.#property(atom, property, element))
      const { initializer } = element
      return initializer === undefined
        ? found
        : found.flatMap((atom) => (atom.kind === 'nothing' ? this.#evaluate(initializer, scope) : [atom]))
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error
      const type = this.#sources.checker.getTypeAtLocation(element.parent)
      const absent = element.initializer ? this.#evaluate(element.initializer, scope) : []
      return [...this.#assignedTo(type, property, error), ...absent]
    }
  }

  #propertyAccess(node: PropertyAccessExpression, scope: Scope): Atom[] {
    try {
      return this.#evaluate(node.expression, scope).flatMap((atom) => this.#property(atom, node.name.text, node))
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error
      return this.#assignedTo(this.#sources.checker.getTypeAtLocation(node.expression), node.name.text, error)
    }
  }

  #elementAccess(node: ElementAccessExpression, scope: Scope): Atom[] {
    const literals = this.#literalsOf(node)
    if (literals.length > 0) return literals
    const names = this.#tryTexts(node.argumentExpression, scope)
    return this.#evaluate(node.expression, scope).flatMap((atom) => {
      if (atom.kind !== 'object') throw new Unresolved(node, 'this object is known at run time only')
      const among = names ?? atom.node.properties.map((each) => (each as Node & { name: Identifier }).name.text)
      return among.flatMap((name) => this.#property(atom, name, node))
    })
  }

  #tryTexts(node: Expression, scope: Scope): string[] | undefined {
    try {
      return this.#texts(node, scope)
    } catch (error) {
      if (error instanceof Unresolved) return undefined
      throw error
    }
  }

  #property(atom: Atom, name: string, node: Node): Atom[] {
    if (atom.kind === 'nothing') return []
    if (atom.kind !== 'object') throw new Unresolved(node, 'this object is known at run time only')
    // The last property with the name counts. A spread may also contain it.
    const last = atom.node.properties.findLast(
      (each) => each.kind === SyntaxKind.SpreadAssignment || (each as unknown as Assignment).name?.text === name,
    )
    if (last === undefined) return [{ kind: 'nothing' }]
    if (last.kind !== SyntaxKind.PropertyAssignment && last.kind !== SyntaxKind.ShorthandPropertyAssignment)
      throw new Unresolved(last, 'this property is known at run time only')
    return this.#assigned(last as unknown as Assignment, atom.scope)
  }

  #assigned(node: Assignment, scope: Scope): Atom[] {
    return node.initializer
      ? this.#evaluate(node.initializer, scope)
      : this.#declared(this.#references.shorthandOf(node), node.name, scope)
  }

  /** Returns the values that object literals in the sources assign to a property of this type. */
  #assignedTo(type: Type | undefined, property: string, cause: Unresolved): Atom[] {
    const found = (type ? this.#references.assignmentsTo(type, property) : []).flatMap((assignment) =>
      this.#assigned(assignment, new Map()),
    )
    if (found.length === 0) throw cause
    return found
  }

  /** Returns the texts of a union of literals, such as `'asset' | 'network'`. */
  #byType(node: Node): Atom[] {
    const literals = this.#literalsOf(node)
    if (literals.length > 0) return literals
    throw new Unresolved(node, 'this is known at run time only')
  }

  #literalsOf(node: Node): Atom[] {
    const type = this.#sources.checker.getTypeAtLocation(node)
    const among = type?.isUnionType() ? type.getTypes() : type ? [type] : []
    if (!among.every((each) => each.isStringLiteralType())) return []
    return among.map((each) => ({ kind: 'text', text: String((each as Type & { value: string }).value) }))
  }
}
