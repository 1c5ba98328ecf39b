-- The features that a change wrote or deleted; null if they are too many, or unknown.
alter table layer_change add column ids bigint[];
