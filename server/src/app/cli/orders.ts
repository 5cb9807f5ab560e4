import { findSigned } from '../composition/signed-by.ts'
import { command, type Command } from './command.ts'
import { withInstallation } from '../installation/open.ts'

export const orderCommands: readonly Command[] = [
  command({
    name: 'order signed-by',
    summary: 'show which API key signed the request that made a withdrawal, payout, exchange or invoice',
    args: ['MERCHANT_ID', 'ID_OR_LOCAL_ID'],
    run: async ({ args }, env, out) => {
      await withInstallation(env, async ({ runtime }) => {
        const made = await findSigned(runtime.db, args.MERCHANT_ID, args.ID_OR_LOCAL_ID)
        if (!made) throw new Error('this merchant has no order or invoice with this id or localId')
        out.show({ ...made }, [
          `${made.kind} ${made.id}, made at ${made.createdAt.toISOString()}`,
          made.keyId === null
            ? 'no signed request made it, or it is older than this record'
            : `signed with key ${made.keyId}, of ${made.keyCreatedAt?.toISOString() ?? 'unknown age'}${made.keyEndsAt ? `, which is valid until ${made.keyEndsAt.toISOString()}` : ', which is in use'}`,
        ])
      })
    },
  }),
]
