int lc_x(void);
int lc_x(void)
{
    return 0;
}
