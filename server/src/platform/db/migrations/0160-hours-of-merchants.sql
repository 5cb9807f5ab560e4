-- Merchants whose part of an hour is not the standard one.
create index merchants_hour_percent on merchants (id) where settings ? 'withdrawalHourPercent';
