import type { DepositKeys } from '../../server/src/chain/addresses/derivation.ts'

/** Account keys of the public test mnemonic "test test test … junk": everybody has its private keys. */
export const TEST_KEYS: Omit<DepositKeys, 'next'> & Record<'bitcoin' | 'evm' | 'tron', { hot: string }> = {
  bitcoinChain: 'regtest',
  bitcoin: {
    deposit:
      'tpubDCTawRj1voCsGHoKQopGdxi1UXEfy8eeogsbA7SxDL1j7tvTfwdF6jQNSneAQw5a2x29XY6PWbnKMx68oM7BYoew8eRySvVaLZxkrBzWr4A',
    hot: 'tpubDCTawRj1voCsLXPbwYKwNN5GMiiVdXSe6X3bMypvJvJFLHoFrb3AjDjZWfJCCFAW3or7bGA3TQBdtH84EGdsJqSDJx4vpxdQqE4Zejgjnhb',
  },
  evm: {
    deposit:
      'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP',
    hot: 'xpub6Ce9NcJvTk372KjsGfWqbcex5DumjpNquQLApoeQUavSCjEc823BV1tb4rXUuPuht8h2hSxkg2EXUaKUJmniJvRZAELxypsCzBFdtosmV76',
  },
  tron: {
    deposit:
      'xpub6BuRy7ZmkGfP2RWhoor1kWB1w9DvrtmJbFBvnC1bQ4SB5NbCHTyQYCJSXZtxDbFyHTmC7wkU2he3nYYdpZ3Vf6qUAkXSnL6RPif4BDtDEKr',
    hot: 'xpub6BuRy7ZmkGfP4LfiwbWSuu7pRCfSbjyB59BHNudeJgwsJUu23Dzmz4fRKh7Bsfo1EgmmCxtCLsat66A3Fe28PGEzwkmiTChdjv5PDhyqh2Q',
  },
}
