-- What the client said of an upload in parts, as it said it, for whoever goes on with it.
alter table partial_upload add column metadata text;
