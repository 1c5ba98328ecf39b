-- What a change sets, by field, without the values: tells later who changed a field.
alter table journal_change add column digests jsonb;
