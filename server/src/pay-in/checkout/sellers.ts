import type { Seller } from '@bursar/checkout'
import type { MerchantDirectory } from '../../merchants/accounts/index.ts'

/** Returns the seller of a page: the company's name and site, the colour and the support that the merchant has set. */
export const createSellers =
  (directory: Pick<MerchantDirectory, 'find'>) =>
  async (merchantId: string, { name, url }: { name: string; url: string }): Promise<Seller> => {
    const settings = (await directory.find(merchantId))?.settings
    return {
      name,
      url: url === '' ? undefined : url,
      accent: settings?.accent ?? undefined,
      support: { url: settings?.supportUrl ?? undefined, email: settings?.supportEmail ?? undefined },
    }
  }

export type Sellers = ReturnType<typeof createSellers>
