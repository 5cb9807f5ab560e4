-- Of the page and of mails to the payer, if the merchant has chosen one.
alter table fiat_invoices add column language text;
