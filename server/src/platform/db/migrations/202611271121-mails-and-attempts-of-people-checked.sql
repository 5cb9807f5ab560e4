-- Checks the rows that are older than the constraints, without a lock that stops writes.
alter table mails validate constraint mails_audience_check;
alter table dashboard_attempts validate constraint dashboard_attempts_bucket_check;
