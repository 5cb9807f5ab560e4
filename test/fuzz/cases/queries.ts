/** Targets with one fault: a query that does not fit, and other spellings of a path. */
import type { Random } from '../../../sandbox/random.ts'
import type { FuzzWorld } from '../objects.ts'
import { faultsOf } from '../oracles/answers.ts'
import { bytesOf, signedDraft } from '../request.ts'
import { aboutOf, mustBeByContract, mustRefuse, type Case } from './case.ts'
import { encodeQuery, pathOf, queryOf, type Schema } from './values.ts'
import { effectOf, signedOperations, targetOf } from './valid.ts'

type Pairs = [string, string][]

/** Faults of a query, as text behind the question mark. @param required a parameter that must be there */
const QUERY_FAULTS: Readonly<Record<string, (pairs: Pairs, required: string, random: Random) => string>> = {
  'a missing parameter': (pairs, required) => encodeQuery(pairs.filter(([name]) => name !== required)),
  'an empty parameter': (pairs, required) =>
    encodeQuery(pairs.map(([name, value]) => [name, name === required ? '' : value])),
  'the text undefined': (pairs, required) =>
    encodeQuery(pairs.map(([name, value]) => [name, name === required ? 'undefined' : value])),
  'a parameter twice': (pairs, required) => `${encodeQuery(pairs)}&${required}=1`,
  'a parameter twice, encoded': (pairs, required) =>
    `${encodeQuery(pairs)}&%${required.charCodeAt(0).toString(16)}${required.slice(1)}=1`,
  'a parameter in another case': (pairs, required) =>
    encodeQuery(pairs.map(([name, value]) => [name === required ? name.toUpperCase() : name, value])),
  'a list of names': (pairs, required) =>
    encodeQuery(pairs.map(([name, value]) => [name === required ? `${name}[]` : name, value])),
  'broken percent-encoding': (pairs, _required, random) =>
    `${encodeQuery(pairs)}&x=${random.pick(['%', '%f', '%zz', '%c0%af', '%ed%a0%80', '%u0041', '%ff'])}`,
  'U+0000': (pairs, required) =>
    encodeQuery(pairs.map(([name, value]) => [name, name === required ? `${value}\0` : value])),
  'bytes outside ASCII': (pairs) => `${encodeQuery(pairs)}&x=\xe9`,
  'a fragment': (pairs) => `${encodeQuery(pairs)}#x`,
  'many parameters': (pairs) =>
    `${encodeQuery(pairs)}${'&a=1'.repeat(1)}${Array.from({ length: 65 }, (_, n) => `&p${n}=`).join('')}`,
  'too long': (pairs, required) =>
    encodeQuery(pairs.map(([name, value]) => [name, name === required ? '1'.repeat(2_000) : value])),
  'an unencoded space or quote': (pairs, _required, random) =>
    `${encodeQuery(pairs)}&x=${random.pick(['\t', '\x7f', '\x01'])}`,
}

export const makeBrokenQuery = (world: FuzzWorld, random: Random): Case => {
  const operation = random.pick(
    signedOperations.filter(({ query }) => ((query as Schema | null)?.required ?? []).length > 0),
  )
  const { required = [] } = operation.query as unknown as Schema
  const kind = random.pick(Object.keys(QUERY_FAULTS))
  const pairs = queryOf(operation, world, random)
  const query = QUERY_FAULTS[kind]!(pairs, random.pick(required), random)
  const signed = { method: 'GET', target: `${pathOf(operation, random)}?${query}` }
  const parts = [bytesOf(signedDraft(signed, world.owned[0].account))]
  return {
    kind: `broken query: ${kind}`,
    about: aboutOf(parts),
    parts,
    // Node refuses some of these bytes itself and closes the connection.
    isAlone: true,
    effect: 'nothing',
    judge: mustRefuse(operation),
  }
}

/** Other spellings of a path. Each names nothing, although its signature is right. */
const SPELLINGS: Readonly<Record<string, (path: string) => string>> = {
  'an encoded letter': (path) => path.replace('m', '%6d'),
  'an encoded slash': (path) => path.replace(/^\/merchants\//, '/merchants%2F'),
  'an encoded dot segment': (path) => `/%2e%2e${path}`,
  'a dot segment': (path) => `/x/..${path}`,
  'a single dot': (path) => `/.${path}`,
  'two slashes': (path) => `/${path}`,
  'two slashes inside': (path) => path.replace('/merchants/', '/merchants//'),
  'two slashes behind': (path) => `${path}//`,
  'another case': (path) => path.toUpperCase(),
  'an encoded NUL': (path) => `${path}%00`,
  'a semicolon': (path) => `${path};a=b`,
  'a host': (path) => `http://127.0.0.1${path}`,
  'another host': (path) => `http://evil.example${path}`,
  'a backslash': (path) => path.replaceAll('/', '\\').replace('\\', '/'),
  'a prefix': (path) => `/api${path}`,
  'a suffix': (path) => `${path}.json`,
  'a fragment': (path) => `${path}#`,
  'an overlong dot': (path) => `/%c0%ae%c0%ae${path}`,
  'an asterisk': () => '*',
}

export const makeOtherPath = (world: FuzzWorld, random: Random): Case => {
  const operation = random.pick(signedOperations)
  const kind = random.pick(Object.keys(SPELLINGS))
  const [path = '', query] = targetOf(operation, world, random, 0).split('?')
  const other = SPELLINGS[kind]!(path)
  // An alias may lack the part that the spelling changes.
  const spelled = other === path ? `/${path}` : other
  const target = query === undefined ? spelled : `${spelled}?${query}`
  const body = operation.body === null ? undefined : '{}'
  const parts = [bytesOf(signedDraft({ method: operation.method, target, body }, world.owned[0].account))]
  return {
    kind: `other path: ${kind}`,
    about: aboutOf(parts),
    parts,
    isAlone: true,
    effect: 'nothing',
    judge: ([answer]) => {
      if (answer === undefined) return ['no answer']
      return answer.status < 400 ? [`accepted with status ${answer.status}`] : faultsOf(answer)
    },
  }
}

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'QUERY',
] as const

/** The path of an operation with another method, signed so. */
export const makeOtherMethod = (world: FuzzWorld, random: Random): Case => {
  const operation = random.pick(signedOperations)
  const method = random.pick(METHODS)
  const isHead = method === 'HEAD'
  const target = targetOf(operation, world, random, 0)
  const body = random.chance(0.5) ? '{}' : undefined
  const parts = [bytesOf(signedDraft({ method, target, body }, world.owned[0].account))]
  const path = target.split('?')[0]!
  const served = signedOperations.find(
    (one) =>
      one.method === (isHead ? 'GET' : method) &&
      (one === operation || one.path === path || one.aliases.some((alias) => alias.path === path)),
  )
  return {
    kind: `other method: ${method}`,
    about: aboutOf(parts),
    parts,
    isHead,
    isAlone: true,
    effect: served === undefined ? 'nothing' : effectOf(served),
    judge: (answers) => {
      const [answer] = answers
      if (answer === undefined) return ['no answer']
      if (served !== undefined) return mustBeByContract(served, isHead)(answers)
      return answer.status < 400 ? [`accepted with status ${answer.status}`] : faultsOf(answer, isHead)
    },
  }
}
