import type { DepositKeys } from './derivation.ts'

/** Account keys of the public test mnemonic "test test test … junk": everybody has its private keys. */
export const TEST_KEYS: DepositKeys & { bitcoin: { hot: string }; evm: { hot: string } } = {
  bitcoinChain: 'regtest',
  bitcoin: {
    deposit:
      'tpubDCTawRj1voCsGHoKQopGdxi1UXEfy8eeogsbA7SxDL1j7tvTfwdF6jQNSneAQw5a2x29XY6PWbnKMx68oM7BYoew8eRySvVaLZxkrBzWr4A',
    hot:
      'tpubDCTawRj1voCsLXPbwYKwNN5GMiiVdXSe6X3bMypvJvJFLHoFrb3AjDjZWfJCCFAW3or7bGA3TQBdtH84EGdsJqSDJx4vpxdQqE4Zejgjnhb',
  },
  evm: {
    deposit:
      'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
    hot:
      'xpub6Ce9NcJvTk372KjsGfWqbcex5DumjpNquQLApoeQUavSCjEc823BV1tb4rXUuPuht8h2hSxkg2EXUaKUJmniJvRZAELxypsCzBFdtosmV76',
  },
}
