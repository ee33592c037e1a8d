"""Group records between two SQL queries: one finds the pairs, and the other reads the groups.

Each order has the email or the phone of its customer, or both. A query joins orders that share one
of them. The groups are a relation of the same DuckDB connection, and the next query uses it.
"""

import duckdb

import cc_rapids

ORDERS = """
    (1, 'ann@x.org', null, 30), (2, 'ann@x.org', '555-17', 12), (3, null, '555-17', 8),
    (4, 'bob@x.org', null, 70), (5, null, '555-99', 5)
"""
PAIRS = """
    select a.id as src, b.id as dst from orders a join orders b on a.email = b.email and a.id < b.id
    union all
    select a.id, b.id from orders a join orders b on a.phone = b.phone and a.id < b.id
"""

shop = duckdb.connect()
shop.execute(f"create table orders as from (values {ORDERS}) as t(id, email, phone, paid)")

found = cc_rapids.components(shop.sql(PAIRS))  # read in record batches
customers = found.attach(shop.table("orders"), on="id", name="customer", missing="self")
spent = shop.sql("select customer, sum(paid) as paid from customers group by all order by 1")

print(spent)
assert spent.fetchall() == [(1, 50), (4, 70), (5, 5)]  # 1, 2 and 3 are one customer
