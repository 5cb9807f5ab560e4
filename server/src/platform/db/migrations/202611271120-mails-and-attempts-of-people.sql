-- Invitations and notices to people have limits of their own. Attempts of a browser that has signed in as the person
-- before are counted in the rows from 65,536.
alter table mails drop constraint mails_audience_check;
alter table mails add constraint mails_audience_check
  check (audience in ('payer', 'merchant', 'invitee', 'person')) not valid;
alter table dashboard_attempts drop constraint dashboard_attempts_bucket_check;
alter table dashboard_attempts add constraint dashboard_attempts_bucket_check
  check (bucket between 0 and 131071) not valid;
