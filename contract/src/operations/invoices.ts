import { Type } from 'typebox'
import {
  address,
  blockchain,
  email,
  invoiceDescription,
  invoiceName,
  language,
  meta,
  positiveDecimal,
  redirectUrl,
  ticker,
} from '../fields.ts'
import { textLimits } from '../limits.ts'

/**
 * Fields of both web forms (`contract.md` 5.15, 5.19, 16 #17, 18 #15, 19 #10). An empty field counts as absent:
 * a browser sends every input of a form, filled in or not.
 */
export const invoiceFormFields = {
  merchantId: Type.Optional(
    Type.String({
      maxLength: textLimits.id,
      description: 'Merchant identifier; `merchantID` is accepted in its place',
    }),
  ),
  merchantID: Type.Optional(
    Type.String({
      maxLength: textLimits.id,
      description: 'Merchant identifier; `merchantId` is accepted in its place',
    }),
  ),
  name: invoiceName(),
  value: Type.Optional(positiveDecimal('Amount; the payer chooses it when absent')),
  description: Type.Optional(invoiceDescription()),
  meta: Type.Optional(meta()),
  email: Type.Optional(email()),
  language: Type.Optional(language()),
  targetTicker: Type.Optional(ticker('What received money is exchanged into')),
  targetAddress: Type.Optional(
    address("Where the money is then withdrawn to: one of the addresses in the merchant's settings"),
  ),
  targetBlockchain: Type.Optional(blockchain('Network of that withdrawal; required when `targetAddress` is given')),
  redirectUrl: Type.Optional(redirectUrl('https', "an https URL on a host in the merchant's settings")),
  token: Type.Optional(
    Type.String({
      maxLength: textLimits.redirectUrl,
      description:
        'Signed by the merchant, so that nobody else makes invoices in its name; needed where its settings say so',
    }),
  ),
}

export const formAnswer =
  'Unsigned: a browser posts it, also as `multipart/form-data`, or a script as `application/json`. An empty field and the ' +
  "submit button's name count as absent. The answer is 303 to the payment page; bad input " +
  'gets a readable page with status 400, or JSON when `Accept` asks for it.'

/** The response of the operations that create an invoice (5.14, 5.18). */
export const CreatedInvoice = Type.Object(
  {
    id: Type.String({ description: 'Identifier, a UUID; notifications carry it' }),
    url: Type.String({ description: 'Payment page: send the payer there' }),
  },
  {
    title: 'CreatedInvoice',
    description: 'The invoice that was created',
    examples: [
      {
        id: '123e4567-e89b-12d3-a456-426614174000',
        url: 'https://pay.example/invoices/crypto/123e4567-e89b-12d3-a456-426614174000',
      },
    ],
  },
)
