-- Number of changes of descriptions and attachments of features, which change no data version.
alter table layer add column extensions_version integer not null default 0;
