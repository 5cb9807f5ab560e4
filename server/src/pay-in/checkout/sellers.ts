import type { Seller } from '@bursar/checkout'
import type { MerchantDirectory } from '../../merchants/accounts/index.ts'

/** Returns the seller for the head of a page: the company's name and site, and the colour that the merchant has set. */
export const createSellers =
  (directory: Pick<MerchantDirectory, 'find'>) =>
  async (merchantId: string, { name, url }: { name: string; url: string }): Promise<Seller> => ({
    name,
    url: url === '' ? undefined : url,
    accent: (await directory.find(merchantId))?.settings.accent ?? undefined,
  })

export type Sellers = ReturnType<typeof createSellers>
