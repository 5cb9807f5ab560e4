-- So little is missing that the merchant may accept it, and its worth is not known, because the asset has no price.
alter table crypto_invoices add column shortfall_unpriced boolean not null default false;
