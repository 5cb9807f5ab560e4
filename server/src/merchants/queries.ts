import { sql } from 'kysely'
import type { Db } from '../db/index.ts'

export interface MerchantLine {
  id: string
  name: string
  companyName: string
  disabled: boolean
  createdAt: Date
}

export const listMerchants = async (db: Db): Promise<MerchantLine[]> => {
  const { rows } = await sql<MerchantLine>`select id, name, company_name as "companyName", disabled_at is not null as disabled,
    created_at as "createdAt" from merchants order by created_at, id`.execute(db)
  return rows
}
