-- Version of the data of a layer after a change: tells whether its features were edited since.
alter table journal_change add column data_version integer;
