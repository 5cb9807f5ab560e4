import { expect, test } from 'vitest'
import { similarWord } from './similar.ts'

const KNOWN = ['confirmations', 'finality', 'gasPriceCap', 'gasPriceFloor', 'url']

test.each([
  ['confirmation', 'confirmations'],
  ['confirmatoins', 'confirmations'],
  ['gaspricecap', 'gasPriceCap'],
  ['gasPriceFlor', 'gasPriceFloor'],
  ['uri', 'url'],
  ['gas', 'gasPriceCap'],
  ['ga', undefined],
  ['password', undefined],
  ['', undefined],
  ['finalitx'.repeat(99), undefined],
])('%s stands for %s', (given, word) => expect(similarWord(given, KNOWN)).toBe(word))
