-- It cost a fifteenth of each delivery, and found old keys by reading the table once places in it were used again.
drop index delivery_keys_by_age;
