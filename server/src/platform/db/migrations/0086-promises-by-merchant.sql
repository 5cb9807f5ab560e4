-- What estimates have promised is asked for by merchant only.
drop index exchange_quotes_target;
