-- An amount that a web form fixed without its currency, as a decimal, and the currencies that its payer may choose it in.
alter table fiat_invoices add column asked_value text;
alter table fiat_invoices add column asked_in text[];
alter table fiat_invoices add constraint fiat_invoices_asked_check check ((asked_value is null) = (asked_in is null));
