import type { Seller } from '@bursar/checkout'
import { logoPath } from '../../merchants/logos/index.ts'
import type { MerchantDirectory } from '../../merchants/accounts/index.ts'

/**
 * Returns the seller of a page: the company's name and site, and the colour, the logo and the support that the merchant
 * has set.
 */
export const createSellers =
  (directory: Pick<MerchantDirectory, 'find'>) =>
  async (merchantId: string, { name, url }: { name: string; url: string }): Promise<Seller> => {
    const merchant = await directory.find(merchantId)
    const settings = merchant?.settings
    return {
      name,
      url: url === '' ? undefined : url,
      accent: settings?.accent ?? undefined,
      logo: merchant?.logo ? { ...merchant.logo, src: logoPath(merchant.logo.hash) } : undefined,
      support: { url: settings?.supportUrl ?? undefined, email: settings?.supportEmail ?? undefined },
    }
  }

export type Sellers = ReturnType<typeof createSellers>
